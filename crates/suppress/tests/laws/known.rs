//! Instances that others have solved, and what may be lost at most.

use crate::support::{chosen, find, protect_by};
use cellveil_core::Release;
use cellveil_suppress::Method;
use cellveil_testkit::csplib;

/// Names with the cells and the cost that must not be exceeded, by the method.
const KNOWN: [(&str, Method, usize, f64); 14] = [
    ("targus", Method::Auto, 9, 2_037_610.0),
    ("table8", Method::Auto, 20, 187.0),
    ("table7", Method::Auto, 73, 4_957_268.0),
    ("table1", Method::Auto, 65, 131_733_867.0),
    ("targus", Method::Hypercube, 12, 6_000_000.0),
    ("targus", Method::Modular, 12, 4_000_000.0),
    ("targus", Method::Network, 9, 2_037_610.0),
    ("table8", Method::Network, 8, 110.0),
    ("targus", Method::Genetic, 9, 2_037_610.0),
    ("table8", Method::Genetic, 20, 187.0),
    ("targus", Method::Tabu, 9, 2_037_610.0),
    ("table8", Method::Tabu, 15, 143.0),
    ("table7", Method::Tabu, 55, 4_200_000.0),
    ("table1", Method::Tabu, 60, 120_000_000.0),
];

#[test]
fn reference_instances_are_safe_and_cost_no_more_than_before() {
    for (path, (name, method, cells, cost)) in
        csplib(&KNOWN.map(|(name, ..)| name)).iter().zip(KNOWN)
    {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(path).unwrap(), 0).unwrap();
        let protected = protect_by(method, &problem).unwrap();
        assert!(method == Method::Auto || protected.method == method, "{name} {method}");
        let found = find(&problem, &protected.pattern);
        assert_eq!(found.audit.exposed, [], "{name} {method}");
        let secondaries = chosen(&problem, &protected.pattern).len();
        let paid = problem.cost_of(&protected.pattern);
        assert!(
            secondaries <= cells && paid <= cost,
            "{name} {method}: {secondaries} cells for {paid}"
        );
        assert!(Release::new(problem, protected.pattern, found.certificate).is_ok(), "{name}");
    }
}
