//! Tabulation from start to end.

use crate::encode::{extent_of_bytes, tally_of_bytes};
use crate::files::{Files, Input, Kind};
use crate::functions::{amount, code, extent, weight};
use crate::read::{read, synthetic};
use crate::scan::{diagnose, scan};
use crate::tally_function::{Counter, Manner, tally};
use cellveil_core::Table;
use cellveil_tabulate::{
    AMOUNT_DECIMALS, Finished, FinishedPlan, FinishedRow, FinishedSpec, Groups, Plan, Progress,
    Source, TableSpec, Tabulate, TabulateError, Units,
};
use datafusion::arrow::array::{Array, AsArray, RecordBatch, StringArray};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use futures::StreamExt;
use std::ops::ControlFlow;
use std::time::Duration;

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

    fn run<T>(
        self,
        work: impl Future<Output = Result<T, TabulateError>>,
    ) -> Result<T, TabulateError> {
        let failed = |why: std::io::Error| TabulateError::Engine(why.to_string());
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(self.threads).enable_time().build().map_err(failed)?.block_on(work)
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
    fn tabulate(
        &self,
        source: &Source,
        spec: &TableSpec,
        progress: &dyn Progress,
    ) -> Result<Table, TabulateError> {
        let plan = Plan::new(spec)?;
        let files = Files::open(source)?;
        let work = Work { plan: &plan, spec, files: &files, progress };
        work.check_columns()?;
        let (groups, units) = self.run(work.groups(self.context()))?;
        if groups.is_empty() {
            return Err(TabulateError::Empty(files.root.clone()));
        }
        plan.table(groups, units, &files)
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

/// One tabulation.
struct Work<'a> {
    plan: &'a Plan,
    spec: &'a TableSpec,
    files: &'a Files,
    progress: &'a dyn Progress,
}

impl Work<'_> {
    /// The columns that hold codes: of the dimensions first, then of the holding and of requests.
    fn codes(&self) -> Vec<&str> {
        let request = self.spec.request.as_ref().map(|request| &request.column);
        self.plan
            .columns()
            .flatten()
            .chain(&self.spec.holding)
            .chain(request)
            .map(String::as_str)
            .collect()
    }

    /// The columns that hold numbers, and whether they are weights.
    fn numbers(&self) -> Vec<(&str, bool)> {
        let response = self.spec.response.iter().map(|column| (&column[..], false));
        response.chain(self.spec.weight.iter().map(|column| (&column[..], true))).collect()
    }

    fn check_columns(&self) -> Result<(), TabulateError> {
        for input in &self.files.inputs {
            self.codes().into_iter().try_for_each(|column| input.check_type(column, false))?;
            self.numbers()
                .into_iter()
                .try_for_each(|(column, _)| input.check_type(column, true))?;
        }
        Ok(())
    }

    async fn groups(&self, context: SessionContext) -> Result<(Groups, Units), TabulateError> {
        let work = async {
            let records = self.records(&context).await?;
            let units = self.units(records.clone()).await?;
            Ok((self.grouped(records, units).await?, units))
        };
        work.await.map_err(|error| self.cause(&error))
    }

    /// What really went wrong: the engine knows of no lines.
    fn cause(&self, error: &datafusion::error::DataFusionError) -> TabulateError {
        match diagnose(self.files, &self.codes(), &self.numbers()) {
            Err(found) => found,
            Ok(()) => TabulateError::Engine(error.strip_backtrace()),
        }
    }

    /// The records of all files: codes named by their position, response `x`, weight `w` and request `r`.
    async fn records(&self, context: &SessionContext) -> Result<DataFrame> {
        let mut all: Option<DataFrame> = None;
        for alike in self.files.inputs.chunk_by(|a, b| a.kind == b.kind) {
            let frame = self.selected(read(context, alike).await?, &alike[0])?;
            all = Some(match all {
                None => frame,
                Some(before) => before.union(frame)?,
            });
        }
        all.map_or_else(|| context.read_empty(), Ok)
    }

    fn selected(&self, frame: DataFrame, input: &Input) -> Result<DataFrame> {
        let column = |name: &str| match (&input.kind, input.position(name)) {
            (Kind::Csv { .. }, Ok(at)) => ident(synthetic(at)),
            _ => ident(name),
        };
        let one = || {
            lit(ScalarValue::Decimal128(
                Some(10_i128.pow(u32::from(AMOUNT_DECIMALS))),
                38,
                AMOUNT_DECIMALS as i8,
            ))
        };
        let keys = self.plan.columns().flatten().chain(&self.spec.holding).enumerate();
        let mut columns: Vec<Expr> =
            keys.map(|(at, name)| code(column(name)).alias(format!("k{at}"))).collect();
        columns.push(
            self.spec.response.as_ref().map_or_else(one, |name| amount(column(name))).alias("x"),
        );
        columns.push(
            self.spec.weight.as_ref().map_or_else(one, |name| weight(column(name))).alias("w"),
        );
        let nobody = || lit(ScalarValue::Utf8(None));
        let request =
            self.spec.request.as_ref().map_or_else(nobody, |request| code(column(&request.column)));
        columns.push(request.alias("r"));
        frame.select(columns)
    }

    /// Looks at all amounts once; counts need no look.
    async fn units(&self, records: DataFrame) -> Result<Units> {
        if self.numbers().is_empty() {
            return Ok(Units::default());
        }
        let found = records
            .aggregate(vec![], vec![extent(ident("x"), ident("w")).alias("e")])?
            .collect()
            .await?;
        match found.iter().find(|batch| batch.num_rows() > 0) {
            Some(batch) => {
                Ok(extent_of_bytes(batch.column(0).as_binary::<i32>().value(0))?.units())
            }
            None => Ok(Units::default()),
        }
    }

    async fn grouped(&self, records: DataFrame, units: Units) -> Result<Groups> {
        const PAUSE: Duration = Duration::from_millis(100);
        let keys = self.plan.columns().flatten().count() + usize::from(self.spec.holding.is_some());
        let counter = Counter::default();
        let requests =
            self.spec.request.as_ref().map(|request| request.codes.clone()).unwrap_or_default();
        let manner = Manner { units, depth: self.spec.top, requests, counter: counter.clone() };
        let columns = (0..keys).map(|at| ident(format!("k{at}"))).collect();
        let tallied = tally(manner, ident("x"), ident("w"), ident("r")).alias("t");
        let mut stream = records.aggregate(columns, vec![tallied])?.execute_stream().await?;
        let mut groups = Groups::new(self.plan);
        loop {
            match tokio::time::timeout(PAUSE, stream.next()).await {
                Err(_) => {}
                Ok(Some(batch)) => self.push(&mut groups, &batch?)?,
                Ok(None) => break,
            }
            self.progress.rows(counter.count());
        }
        self.progress.rows(counter.count());
        Ok(groups)
    }

    fn push(&self, groups: &mut Groups, batch: &RecordBatch) -> Result<()> {
        let width = batch.num_columns() - 1;
        let texts: Vec<&StringArray> =
            (0..width).map(|at| batch.column(at).as_string::<i32>()).collect();
        let tallies = batch.column(width).as_binary::<i32>();
        let codes = width - usize::from(self.spec.holding.is_some());
        for at in 0..batch.num_rows() {
            let values: Vec<Option<&str>> =
                texts.iter().map(|text| text.is_valid(at).then(|| text.value(at))).collect();
            let holding = values.get(codes).copied().flatten();
            groups.push(&values[..codes], holding, tally_of_bytes(tallies.value(at))?);
        }
        Ok(())
    }
}
