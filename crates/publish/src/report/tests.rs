//! The report as people read it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::page;
use crate::testing::{
    audit_of, flat, grid_release, jj_problem, problem_with, publication, release, table,
};
use cellveil_core::{Dimension, HierarchyBuilder, Reason, Release};
use std::sync::Arc;

/// The page without markup, one line per block.
fn words(html: &str) -> String {
    let body = html.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    let mut out = String::new();
    for piece in body.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        if tag.starts_with("td") || tag.starts_with("th ") || tag == "th" || tag == "dd" {
            out.push_str(" | ");
        }
        out.push_str(text);
    }
    let lines: Vec<&str> = out.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn report(release: &Release) -> String {
    page(&publication(release, &audit_of(release))).unwrap()
}

/// Regions with towns, by activities with branches, by three sizes.
fn large() -> Release {
    let nested = |name: &str, codes: u32, parts: u32| {
        let mut builder = HierarchyBuilder::new("Total");
        let mut groups = Vec::new();
        for group in 1..=codes {
            let code = builder.code(format!("{name} {group}"));
            let parts = (1..=parts).map(|part| builder.code(format!("{name} {group}.{part}")));
            let parts: Vec<u32> = parts.collect();
            builder.sum(code, parts);
            groups.push(code);
        }
        builder.sum(0, groups);
        let hierarchy = Arc::new(builder.build().unwrap().0);
        Dimension { name: name.to_owned(), levels: Vec::new(), hierarchy }
    };
    let dimensions =
        [nested("region", 5, 4), nested("activity", 3, 2), flat("size", &["small", "large"])];
    let table = table(&dimensions, 2, |key| i64::from(key[0] * 7919 + key[1] * 104_729 + key[2]));
    let mut cubes = Vec::new();
    for (region, activity) in (0..5).flat_map(|r| [1, 4, 7].map(|activity| (1 + 5 * r, activity))) {
        let corner = |at: u32| [region + 1 + (at >> 2), activity + 1 + (at >> 1 & 1), 1 + (at & 1)];
        cubes.push((0..8).map(|at| table.find(&corner(at)).unwrap().0).collect::<Vec<u32>>());
    }
    let reasons = [Reason::Frequency, Reason::Dominance, Reason::PPercent];
    let sensitive = cubes.iter().flat_map(|cube| cube.iter().copied().step_by(3).zip(reasons));
    release(problem_with(&table, &sensitive.collect::<Vec<_>>(), 500), &cubes)
}

#[test]
fn a_small_report_reads_like_this() {
    insta::assert_snapshot!("report", words(&report(&grid_release())));
}

#[test]
fn cells_without_codes_are_listed_by_number() {
    let words = words(&report(&release(jj_problem(), &[vec![5, 6, 9, 10]])));
    assert!(words.contains("| 4 | 36.0 | 5 | ● | 6 | ○ | 7 | 13.0"), "{words}");
}

#[test]
fn further_dimensions_become_sheets() {
    let words = words(&report(&large()));
    assert!(
        words.contains("size = Total\n") && words.contains("size = small 60 withheld\n"),
        "{words}"
    );
    assert!(words.contains("region (level 2) × activity (level 2) × size"), "{words}");
}

#[test]
fn a_report_asks_nothing_of_the_network() {
    let page = report(&large());
    for word in ["http", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    if let Ok(folder) = std::env::var("CELLVEIL_SHOW_REPORTS") {
        std::fs::write(format!("{folder}/large.html"), page).unwrap();
        std::fs::write(format!("{folder}/small.html"), report(&grid_release())).unwrap();
        let ids = report(&release(jj_problem(), &[vec![5, 6, 9, 10]]));
        std::fs::write(format!("{folder}/ids.html"), ids).unwrap();
    }
}
