//! One pass over all records, on all threads.

use crate::files::{Files, Kind};
use crate::read::{read, synthetic};
use cellveil_tabulate::{Progress, TabulateError};
use datafusion::arrow::array::ArrayRef;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::ident;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::runtime::Handle;

/// Why a pass ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The engine says so; where, is found by a second look at the files.
    Engine(String),
    /// We say so.
    Error(TabulateError),
}

impl<E: Into<DataFusionError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Engine(error.into().strip_backtrace())
    }
}

/// A pass over some columns of all files.
pub(crate) struct Pass<'a> {
    pub(crate) files: &'a Files,
    pub(crate) columns: &'a [&'a str],
    pub(crate) context: &'a SessionContext,
    pub(crate) runtime: &'a Handle,
    pub(crate) progress: &'a dyn Progress,
    /// The number of records, if it is known already.
    pub(crate) all: u64,
}

impl Pass<'_> {
    /// Shows every batch of records to one of the visitors, each of which works on a thread of its own. More are made if there are more
    /// parts to read.
    pub(crate) fn run<V: Send>(
        &self,
        visitors: &mut Vec<V>,
        make: impl Fn() -> V,
        visit: impl Fn(&mut V, &[ArrayRef]) -> Result<(), Stop> + Sync,
    ) -> Result<(), Stop> {
        let done = AtomicU64::new(0);
        for alike in self.files.inputs.chunk_by(|a, b| a.kind == b.kind) {
            let column = |name: &&str| match (&alike[0].kind, alike[0].position(name)) {
                (Kind::Csv { .. }, Ok(at)) => ident(synthetic(at)),
                _ => ident(*name),
            };
            let select: Vec<_> = self.columns.iter().map(column).collect();
            let streams = self.runtime.block_on(async {
                let frame = read(self.context, alike).await?;
                // A table of counts without any column still has records.
                let frame = if select.is_empty() { frame } else { frame.select(select)? };
                frame.execute_stream_partitioned().await
            })?;
            visitors.resize_with(visitors.len().max(streams.len()), &make);
            self.share_out(streams, visitors, &visit, &done)?;
        }
        Ok(())
    }

    fn share_out<V: Send>(
        &self,
        streams: Vec<SendableRecordBatchStream>,
        visitors: &mut [V],
        visit: &(impl Fn(&mut V, &[ArrayRef]) -> Result<(), Stop> + Sync),
        done: &AtomicU64,
    ) -> Result<(), Stop> {
        const PAUSE: Duration = Duration::from_millis(100);
        let failed = AtomicBool::new(false);
        let runtime = self.runtime;
        let (sender, receiver) = channel::<()>();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (mut stream, visitor) in streams.into_iter().zip(visitors) {
                let (sender, failed) = (sender.clone(), &failed);
                threads.push(scope.spawn(move || {
                    // Held until this thread ends.
                    let _sender = sender;
                    let mut work = || -> Result<(), Stop> {
                        while let Some(batch) = runtime.block_on(stream.next()) {
                            let batch = batch?;
                            if failed.load(Ordering::Relaxed) {
                                return Ok(());
                            }
                            visit(visitor, batch.columns())?;
                            done.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
                        }
                        Ok(())
                    };
                    let result = work();
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    result
                }));
            }
            drop(sender);
            while receiver.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                self.progress.rows(done.load(Ordering::Relaxed), self.all);
            }
            self.progress.rows(done.load(Ordering::Relaxed), self.all);
            let panicked = || Stop::Engine("a thread that reads records ended early".to_owned());
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())))
                .collect::<Result<Vec<()>, Stop>>()
                .map(|_| ())
        })
    }
}
