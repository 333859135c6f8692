//! What must hold for every cell.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_core::Need;
use cellveil_rules::{Record, RuleSet, one_cell};
use proptest::prelude::*;

fn rules(text: &str) -> RuleSet {
    toml::from_str(text).unwrap()
}

fn judged(rules: &RuleSet, values: &[i64]) -> Option<Need> {
    let records: Vec<Record> = values.iter().map(|&value| Record::of(value)).collect();
    rules.judge(&one_cell(&records, 0, 0).unwrap()).unwrap().needs.first().copied()
}

/// Contributions as a rule meets them: some cells with one giant, some without.
fn contributions() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![0..100_i64, 0..100_000_i64], 1..8)
}

proptest! {
    #[test]
    fn more_contributors_never_make_frequency_sensitive(values in contributions(), more in 0..1000_i64, below in 1..10_u64) {
        let rules = rules(&format!("frequency = {{ below = {below} }}"));
        let mut longer = values.clone();
        longer.push(more);
        prop_assert!(judged(&rules, &values).is_some() || judged(&rules, &longer).is_none());
    }

    #[test]
    fn ten_times_the_contributions_need_ten_times_the_level(values in contributions(), k in 30..99_u8, p in 1..99_u8) {
        for text in [format!("dominance = {{ n = 2, k = {k} }}"), format!("p_percent = {{ p = {p} }}")] {
            let rules = rules(&text);
            let tenfold: Vec<i64> = values.iter().map(|value| value * 10).collect();
            match (judged(&rules, &values), judged(&rules, &tenfold)) {
                (None, None) => {}
                // Levels are rounded up to whole units, so the tenfold one may be nine units less than ten times.
                (Some(one), Some(ten)) => prop_assert!((one.up * 10 - 9..=one.up * 10).contains(&ten.up)),
                (one, ten) => prop_assert!(false, "{one:?} but {ten:?}"),
            }
        }
    }

    #[test]
    fn p_percent_is_pq_with_nothing_known_before(values in contributions(), p in 1..=100_u8, n in 1..4_u8) {
        let p_percent = judged(&rules(&format!("p_percent = {{ p = {p}, n = {n} }}")), &values);
        let pq = judged(&rules(&format!("pq = {{ p = {p}, q = 100, n = {n} }}")), &values);
        prop_assert_eq!(p_percent.map(|need| (need.down, need.up)), pq.map(|need| (need.down, need.up)));
    }

    #[test]
    fn a_dominant_cell_raised_by_its_level_is_no_longer_dominated(values in contributions(), k in 30..100_u8) {
        let rules = rules(&format!("dominance = {{ n = 1, k = {k} }}"));
        if let Some(need) = judged(&rules, &values) {
            let first = *values.iter().max().unwrap();
            let raised = values.iter().sum::<i64>() + need.up;
            prop_assert!(100 * first <= i64::from(k) * raised);
            prop_assert!(100 * first > i64::from(k) * (raised - 1));
        }
    }

    #[test]
    fn whole_weights_are_repetitions(values in prop::collection::vec((0..1000_i64, 1..4_i64), 1..5), k in 30..99_u8) {
        let rules = rules(&format!("dominance = {{ n = 2, k = {k} }}\npq = {{ p = 20, q = 60, n = 2 }}"));
        let weighted: Vec<Record> =
            values.iter().map(|&(value, weight)| Record { weight: Some(weight), ..Record::of(value) }).collect();
        let repeated: Vec<i64> =
            values.iter().flat_map(|&(value, weight)| std::iter::repeat_n(value, weight as usize)).collect();
        let found = rules.judge(&one_cell(&weighted, 0, 0).unwrap()).unwrap().needs;
        prop_assert_eq!(found.first().copied(), judged(&rules, &repeated));
    }

    #[test]
    fn a_further_rule_never_lowers_a_level(values in contributions()) {
        let one = judged(&rules("p_percent = { p = 20 }"), &values);
        let both = judged(&rules("p_percent = { p = 20 }\ndominance = { n = 2, k = 80 }"), &values);
        if let Some(one) = one {
            prop_assert!(both.is_some_and(|both| both.up >= one.up && both.down >= one.down));
        }
    }
}
