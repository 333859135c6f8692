//! Tabulation from start to end.

use crate::files::Files;
use crate::scan::scan;
use crate::work::{Reading, Work};
use cellveil_tabulate::{
    Finished, FinishedPlan, FinishedRow, FinishedSpec, Gathered, Limits, Progress, Source,
    TableSpec, Tabulate, TabulateError,
};
use datafusion::arrow::array::{Array, StringArray};
use datafusion::prelude::{SessionConfig, SessionContext};
use std::ops::ControlFlow;

/// Tabulates with DataFusion, inside this process. Calls block until the table is there; do not call from async code.
#[derive(Clone, Copy, Debug)]
pub struct DataFusion {
    threads: usize,
}

impl Default for DataFusion {
    /// With all threads of the machine.
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

impl DataFusion {
    /// With a number of threads, at least one. The table does not depend on it.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.max(1) }
    }

    fn context(self) -> SessionContext {
        let mut config = SessionConfig::new().with_target_partitions(self.threads);
        let options = config.options_mut();
        options.optimizer.repartition_file_min_size = 1 << 20;
        options.execution.parquet.schema_force_view_types = false;
        // With statistics at hand, the engine reads a column whose minimum equals its maximum as a constant; but Parquet
        // leaves NaN out of both, so that a NaN would turn into a number.
        options.execution.collect_statistics = false;
        SessionContext::new_with_config(config)
    }
}

impl Tabulate for DataFusion {
    fn gather(
        &self,
        source: &Source,
        specs: &[TableSpec],
        limits: Limits,
        progress: &dyn Progress,
    ) -> Result<Vec<Gathered>, TabulateError> {
        let work = Work::new(specs)?;
        let files = Files::open(source)?;
        work.check_columns(&files)?;
        let failed = |why: std::io::Error| TabulateError::Engine(why.to_string());
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(self.threads).enable_time().build().map_err(failed)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|why| TabulateError::Engine(why.to_string()))?;
        let reading = Reading {
            files: &files,
            context: &self.context(),
            runtime: runtime.handle(),
            pool: &pool,
            threads: self.threads,
            limits,
            progress,
        };
        work.gather(&reading)
    }

    fn finished(&self, source: &Source, spec: &FinishedSpec) -> Result<Finished, TabulateError> {
        let plan = FinishedPlan::new(spec)?;
        let files = Files::open(source)?;
        let columns = plan.columns();
        let mut rows = Vec::new();
        for input in &files.inputs {
            columns.iter().try_for_each(|column| input.check_type(column, false))?;
            scan(input, &columns, &mut |batch| {
                let texts =
                    batch.columns.iter().map(crate::columns::codes).collect::<Result<Vec<_>, _>>();
                let texts = texts.map_err(|why| TabulateError::Engine(why.to_string()))?;
                let field = |column: &StringArray, at: usize| {
                    column.is_valid(at).then(|| column.value(at).to_owned())
                };
                for at in 0..texts.first().map_or(0, Array::len) {
                    let fields = texts.iter().map(|column| field(column, at)).collect();
                    rows.push(FinishedRow { place: batch.place(at), fields });
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        if rows.is_empty() {
            return Err(TabulateError::Empty(files.root.clone()));
        }
        plan.table(&rows)
    }
}
