#![expect(clippy::unwrap_used, reason = "a test may panic")]
use super::clock::Clock;
use super::maker::{Maker, Proposal};
use super::policy;
use super::survey::Survey;
use crate::{Job, Run, Settings, judge, tabulation::Made};
use cellveil_core::{
    CellId, Certificate, Claim, Intruder, Pattern, Problem, Side, Why, Witness, verify,
};
use cellveil_publish::{
    Account, Manifest, StreamedRelease, Summary, Unproven, hash_file, stage_streamed,
    verify_release,
};
use cellveil_tabulate::{
    Cells, Frame, Gathered, LeafMoves, Locate, Place, Plan, Record, Seen, Sink, TabulateError,
    Units,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Values are not looked for in files.
struct Nowhere;

impl Locate for Nowhere {
    fn first(&self, _wanted: &[(&str, Option<&str>)]) -> Place {
        Place::File(PathBuf::new())
    }
}

const JOB: &str = "[records]\nfile = \"r.csv\"\n[table]\n\
    dimensions = [\"a\", \"b\", \"c\", \"d\", \"e\"]\nresponse = \"x\"\n\
    [dimension.b]\ndigits = [1, 1]\n\
    [rules]\nfrequency = { below = 3, range = 10 }\ndominance = { n = 1, k = 85 }\n";

fn number(seed: u64, at: u64) -> u64 {
    cellveil_suppress::streamed::scattered(seed, at) % 1_000_003
}

/// Records over five variables, one of them with two levels, most places of which are empty.
fn gathered(job: &Job, records: u64) -> Gathered {
    let spec = &job.specs()[0];
    let sizes = [3_u64, 60, 9, 7, 12];
    let names: Vec<Vec<String>> =
        sizes.iter().map(|&size| (0..size).map(|code| format!("{code:02}")).collect()).collect();
    let seen: Vec<Seen> = names
        .iter()
        .map(|names| {
            let mut seen = Seen::default();
            for name in names {
                seen.position(&[Some(name)]);
            }
            seen
        })
        .collect();
    let plan = Plan::new(spec).unwrap();
    let (dimensions, codes) = plan.dimensions(&seen.iter().collect::<Vec<_>>(), &Nowhere).unwrap();
    let frame = Frame::new(spec, dimensions, Units::default(), 0).unwrap();
    let mut gatherer = frame.gatherer(1 << 24);
    for record in 0..records {
        let key: u128 = (0..5)
            .map(|d| {
                // The first codes are more frequent.
                let lot = |salt: u64| number(7 + salt, record * 5 + d as u64) % sizes[d];
                frame.layout().place(d, codes[d][lot(0).min(lot(1)) as usize])
            })
            .sum();
        let value = 1000 + (number(3, record) % 3000) as i64;
        let response =
            Record { response: value, weight: 1, value: value.into(), request: None, number: 0 };
        gatherer.push(key, response).unwrap().unwrap();
    }
    Gathered::new(frame, [gatherer]).unwrap()
}

/// The moves of all cells.
#[derive(Default)]
struct Moves {
    width: usize,
    count: usize,
    all: Vec<i64>,
}

impl Sink for Moves {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        for row in cells.rows.chunks_exact(self.width) {
            self.all.extend_from_slice(&row[self.width - self.count..]);
        }
        Ok(())
    }
}

/// The same proof, as the judge of tables that are held wants it.
fn expanded(gathered: &Gathered, problem: &Problem, witnesses: &[LeafMoves]) -> Certificate {
    let measure = gathered.frame().measure().with_moves(witnesses.len());
    let mut sink = Moves { width: measure.width(), count: witnesses.len(), all: Vec::new() };
    gathered.roll_up_beside(&witnesses.iter().collect::<Vec<_>>(), &mut sink).unwrap();
    let by = |cell: CellId, witness: usize| sink.all[cell.index() * witnesses.len() + witness];
    let mut certificate = Certificate::default();
    for witness in 0..witnesses.len() {
        for sign in [1, -1] {
            let moves = problem.cells().map(|cell| (cell, sign * by(cell, witness)));
            let moves = moves.filter(|&(_, by)| by != 0).collect();
            certificate.witnesses.push(Witness { denominator: 1, moves });
        }
    }
    for need in problem.needs() {
        let level = need.down.max(need.up);
        let met = (0..witnesses.len()).find(|&w| by(need.cell, w).abs() >= level).unwrap();
        for side in Side::BOTH {
            let mirrored = by(need.cell, met) * side.sign() < 0;
            let witness = (2 * met + usize::from(mirrored)) as u32;
            let (cell, intruder) = (need.cell, Intruder::External);
            certificate.claims.push(Claim { cell, side, intruder, witness });
        }
    }
    certificate
}

fn posed(job: &Job, gathered: &Gathered) -> Problem {
    let table = gathered.table(None).unwrap();
    let (sensitive, frozen, costs) = (Vec::new(), Vec::new(), Vec::new());
    judge::judged(job, Made { table, linked: Vec::new(), sensitive, frozen, costs }).unwrap()
}

fn proposed(job: &Job, gathered: &Gathered) -> Proposal {
    let run = Run::new(Settings::default(), &());
    let clock = Clock::new(&run);
    let survey = Survey::of(gathered, &job.rules, &policy(job), &clock).unwrap();
    let pair = super::split::choose(&survey.sets, gathered.len()).unwrap();
    Maker { job, gathered, survey: &survey, pair, run: &run, clock: &clock, round: 4 }
        .propose()
        .unwrap()
}

#[test]
fn the_judge_of_tables_that_are_held_accepts_the_same_proof() {
    let job = Job::parse(Path::new("job.toml"), JOB).unwrap();
    for records in [300, 2500] {
        let gathered = gathered(&job, records);
        let proposal = proposed(&job, &gathered);
        let problem = posed(&job, &gathered);
        assert_eq!(problem.len(), proposal.withheld.len());
        let mut pattern = Pattern::open(problem.len());
        for (cell, _) in problem.cells().zip(&proposal.withheld).filter(|(_, is)| **is) {
            let is_sensitive = problem.needs().of(cell).is_some();
            pattern.withhold(cell, if is_sensitive { Why::Primary } else { Why::Secondary });
        }
        let certificate = expanded(&gathered, &problem, &proposal.witnesses);
        assert_eq!(verify(&problem, &pattern, &certificate), Ok(()));
        assert!((problem.cost_of(&pattern) - proposal.tally.cost).abs() < 1e-6);
        assert!(proposal.bound.cost <= proposal.tally.cost);
        let published = proposal.withheld.iter().filter(|is| !**is).count();
        assert!(published > 20, "{published} cells of {} are published", problem.len());
    }
}

#[test]
fn lines_with_one_sensitive_cell_bound_the_cost() {
    let job = Job::parse(Path::new("job.toml"), JOB).unwrap();
    let run = Run::new(Settings::default(), &());
    let clock = Clock::new(&run);
    for records in [300, 2500] {
        let gathered = gathered(&job, records);
        let problem = posed(&job, &gathered);
        for variable in 0..5 {
            let mut lines: BTreeMap<Vec<u32>, (usize, f64)> = BTreeMap::new();
            for cell in problem.cells() {
                let mut codes = problem.names().key(cell).to_vec();
                codes.remove(variable);
                let line = lines.entry(codes).or_insert((0, f64::INFINITY));
                match problem.needs().of(cell) {
                    Some(_) => line.0 += 1,
                    None => line.1 = line.1.min(problem.cost(cell)),
                }
            }
            let alone = lines.values().filter(|(sensitive, _)| *sensitive == 1);
            let sum: f64 = alone.map(|(_, cheapest)| cheapest).sum();
            let rules = (&job.rules, &policy(&job));
            let found = super::lines::along(&gathered, variable, rules, &clock).unwrap();
            assert!((found - sum).abs() < 1e-6 && sum.is_finite(), "{found} {sum}");
        }
        let proposal = proposed(&job, &gathered);
        assert!(proposal.bound.cost > 0.0 && proposal.bound.cost <= proposal.tally.cost);
    }
}

#[test]
fn a_proof_that_was_changed_is_refused() {
    let job = Job::parse(Path::new("job.toml"), JOB).unwrap();
    let gathered = gathered(&job, 1000);
    let Proposal { mut witnesses, mut withheld, .. } = proposed(&job, &gathered);
    let judge = |witnesses: &[LeafMoves], withheld: &[bool]| {
        StreamedRelease::new(&gathered, &job.rules, witnesses, withheld, 3, &|| false).map(|_| ())
    };
    assert!(judge(&witnesses, &withheld).is_ok());
    let refused =
        |judged: Result<(), Unproven>| assert!(matches!(judged, Err(Unproven::Faults(..))));
    refused(judge(&witnesses[1..], &withheld));
    refused(judge(&[], &withheld));
    refused(judge(&witnesses, &withheld[1..]));
    for at in (0..withheld.len()).filter(|&at| withheld[at]).take(40).collect::<Vec<_>>() {
        withheld[at] = false;
        refused(judge(&witnesses, &withheld));
        withheld[at] = true;
    }
    for by in [1, -1, 1_000_000] {
        let last = witnesses.len() - 1;
        witnesses[last].by[0] += by;
        refused(judge(&witnesses, &withheld));
        witnesses[last].by[0] -= by;
    }
    let out_of_time =
        StreamedRelease::new(&gathered, &job.rules, &witnesses, &withheld, 5, &|| true).map(|_| ());
    assert!(matches!(out_of_time, Err(Unproven::OutOfTime)));
    witnesses[0].leaves.swap(0, 1);
    refused(judge(&witnesses, &withheld));
}

#[test]
fn lists_that_were_changed_with_their_hashes_are_refused() {
    let job = Job::parse(Path::new("job.toml"), JOB).unwrap();
    let gathered = gathered(&job, 300);
    let Proposal { witnesses, withheld, tally, .. } = proposed(&job, &gathered);
    let in_time = || false;
    let release =
        StreamedRelease::new(&gathered, &job.rules, &witnesses, &withheld, 16, &in_time).unwrap();
    let primary = posed(&job, &gathered).needs().len();
    let summary = Summary {
        cells: withheld.len(),
        primary,
        secondary: tally.secondaries,
        ..Summary::default()
    };
    let account = Account { summary, ..Account::default() };
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("release");
    stage_streamed(&dir, &release, &account, &in_time).unwrap().commit().unwrap();
    let faults = || verify_release(&dir).unwrap().faults;
    assert_eq!(faults(), Vec::<String>::new());
    let edits = [
        ("table.csv", ",v,F", ",s,D"),
        ("table.csv", ",p,", ",s,"),
        ("pattern.csv", ",s\n", ",p\n"),
    ];
    for (name, from, to) in edits {
        let before = std::fs::read_to_string(dir.join(name)).unwrap();
        std::fs::write(dir.join(name), before.replacen(from, to, 1)).unwrap();
        rehash(&dir, name);
        let found = faults();
        assert!(found.len() == 1 && found[0].contains(&format!("`{name}` does not")), "{found:?}");
        std::fs::write(dir.join(name), before).unwrap();
        rehash(&dir, name);
    }
    assert_eq!(faults(), Vec::<String>::new());
    let late = stage_streamed(&folder.path().join("late"), &release, &account, &|| true);
    assert!(late.is_err() && std::fs::read_dir(folder.path()).unwrap().count() == 1);
}

/// Makes the manifest fit a file that was changed.
fn rehash(dir: &Path, name: &str) {
    let mut manifest = Manifest::read(dir).unwrap();
    let entry = manifest.files.iter_mut().find(|file| file.name == name).unwrap();
    (entry.bytes, entry.sha256) = hash_file(&dir.join(name)).unwrap();
    let text = serde_json::to_string(&manifest).unwrap();
    std::fs::write(dir.join("manifest.json"), text).unwrap();
}
