//! Instances that others have solved, and what may be lost at most.

use crate::support::{chosen, find, protect};
use cellveil_core::Release;
use cellveil_testkit::csplib;

/// Names with the cells and the cost that must not be exceeded.
const KNOWN: [(&str, usize, f64); 4] = [
    ("targus", 9, 2_037_610.0),
    ("table8", 20, 187.0),
    ("table7", 73, 4_957_268.0),
    ("table1", 65, 131_733_867.0),
];

#[test]
fn reference_instances_are_safe_and_cost_no_more_than_before() {
    for (path, (name, cells, cost)) in csplib(&KNOWN.map(|(name, ..)| name)).iter().zip(KNOWN) {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(path).unwrap(), 0).unwrap();
        let protected = protect(&problem).unwrap();
        let found = find(&problem, &protected.pattern);
        assert_eq!(found.audit.exposed, [], "{name}");
        let secondaries = chosen(&problem, &protected.pattern).len();
        let paid = problem.cost_of(&protected.pattern);
        assert!(secondaries <= cells && paid <= cost, "{name}: {secondaries} cells for {paid}");
        assert!(Release::new(problem, protected.pattern, found.certificate).is_ok(), "{name}");
    }
}
