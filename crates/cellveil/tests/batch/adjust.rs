//! Rounding and controlled tabular adjustment: values are changed, sums hold.

use crate::support::{READ, small};

/// The numbers of a column of a code-value file, by codes.
fn column(text: &str, at: usize) -> Vec<(String, f64)> {
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(|field| field.replace('"', "")).collect();
        (format!("{},{}", fields[0], fields[1]), fields[at].parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// Whether every region is the sum of its kinds, and every kind that of its regions.
fn adds_up(cells: &[(String, f64)]) -> bool {
    let value = |reg: &str, kind: &str| {
        let name = format!("{reg},{kind}");
        cells.iter().find(|(cell, _)| *cell == name).unwrap().1
    };
    let same = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let regions = ["Total", "N", "N1", "N2", "S", "S1", "S2"];
    let kinds = ["Total", "x", "y"];
    regions.iter().all(|reg| same(value(reg, "Total"), value(reg, "x") + value(reg, "y")))
        && kinds.iter().all(|kind| {
            same(value("Total", kind), value("N", kind) + value("S", kind))
                && same(value("N", kind), value("N1", kind) + value("N2", kind))
                && same(value("S", kind), value("S1", kind) + value("S2", kind))
        })
}

#[test]
fn rounded_tables_are_multiples_of_the_base_and_add_up() {
    let folder = small();
    let log = folder
        .run(&format!(
            "{READ}<SUPPRESS> RND(1,15,0,10,0,2,1)\n<WRITETABLE> (1,3,AS+FL+,\"all.txt\")\n\
             <WRITETABLE> (1,2,,\"public.txt\")\n<WRITETABLE> (1,1,,\"public.csv\")\n"
        ))
        .unwrap();
    assert!(log.text().contains("by the method rounding"), "{}", log.text());
    assert!(log.tables[0].proven);
    let all = folder.read("all.txt");
    assert!(all.starts_with("reg,kind,val_Round,val_Orig\n"), "{all}");
    let (rounded, truth) = (column(&all, 2), column(&all, 3));
    assert!(adds_up(&rounded) && adds_up(&truth));
    for ((cell, rounded), (_, truth)) in rounded.iter().zip(&truth) {
        assert!(rounded % 15.0 == 0.0 && (rounded - truth).abs() < 15.0, "{cell}");
    }
    let public = folder.read("public.txt");
    assert!(public.starts_with("reg,kind,val_Round\n"));
    assert_eq!(column(&public, 2), rounded);
    assert!(
        !folder.read("public.csv").contains('x') || folder.read("public.csv").contains("\"x\"")
    );
}

#[test]
fn adjusted_tables_keep_sensitive_cells_away_from_the_truth() {
    let folder = small();
    let log = folder
        .run(&format!("{READ}<SUPPRESS> CTA(1)\n<WRITETABLE> (1,3,AS+FL+,\"all.txt\")\n"))
        .unwrap();
    assert!(log.tables[0].proven && log.text().contains("by the method cta"));
    let all = folder.read("all.txt");
    assert!(all.starts_with("reg,kind,val_CTA,val_Orig,Status\n"), "{all}");
    let (moved, truth, status) = (column(&all, 2), column(&all, 3), column(&all, 4));
    assert!(adds_up(&moved));
    let at = status.iter().position(|(_, status)| *status as u8 == 3).unwrap();
    assert!((moved[at].1 - truth[at].1).abs() >= 5.88, "{all}");
    let changed = moved.iter().zip(&truth).filter(|(m, t)| m != t).count();
    assert_eq!(changed, status.iter().filter(|(_, s)| [3.0, 11.0].contains(s)).count(), "{all}");
}

#[test]
fn bases_and_files_that_do_not_fit_are_refused() {
    let folder = small();
    let run = |text: &str| folder.run(&format!("{READ}{text}\n")).unwrap_err();
    let said = [
        run("<SUPPRESS> RND(1)"),
        run("<SUPPRESS> RND(1,5)"),
        run("<SUPPRESS> RND(0,15)"),
        run("<SUPPRESS> RND(1,15)\n<WRITETABLE> (1,6,,\"t.jj\")"),
        run("<SUPPRESS> CTA(1)\n<WRITETABLE> (1,5,,\"t.csv\")"),
        run("<SUPPRESS> CTA(1)\n<WRITETABLE> (1,4,,\"t.csv\")"),
        run("<SUPPRESS> CKM(1)"),
        run("<WRITETABLE> (1,7,,\"t.csv\")"),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn counts_are_rounded_to_a_base_no_smaller_than_their_threshold() {
    let folder = small();
    let read =
        READ.replace("\"val\"||", "\"<freq>\"||").replace("NK(1,85)|FREQ(3,10)", "FREQ(4,10)");
    let said = folder.run(&format!("{read}<SUPPRESS> RND(1,3)\n")).unwrap_err();
    assert!(said.contains("fewer than 4 contributors"), "{said}");
    folder.run(&format!("{read}<SUPPRESS> RND(1,5)\n<WRITETABLE> (1,2,AS+,\"t.txt\")\n")).unwrap();
    let text = folder.read("t.txt");
    assert!(text.starts_with("reg,kind,Freq_Round,Freq_Orig\n"), "{text}");
    assert!(column(&text, 2).iter().all(|(_, count)| count % 5.0 == 0.0), "{text}");
}
