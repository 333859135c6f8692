//! The table of the TeraLab document, "Different use cases": one variable with two levels above it.

use crate::support::{Folder, dimension, levels, spec, tabulate};
use cellveil_core::CellId;

#[test]
fn the_example_of_the_document_comes_out_exactly() {
    let folder = Folder::new();
    let records = "V,V1,V2\n2,0,0\n2,0,0\n10,2,0\n9,1,1\n9,1,1\n9,1,1\n15,3,1\n";
    let mut spec = spec(&[], None);
    spec.dimensions = vec![dimension("V", vec![levels(&["V", "V1", "V2"])])];
    let table = tabulate(folder.write("records.csv", records), &spec).unwrap();

    // As the document writes it: a cell of a level has no code on the finer ones.
    let hierarchy = &table.dimensions()[0].hierarchy;
    assert_eq!(table.dimensions()[0].levels, ["V", "V1", "V2"]);
    let mut rows: Vec<String> = Vec::new();
    for at in 0..table.len() {
        let code = table.key(CellId::at(at))[0];
        // Levels above a code are those of any leaf below it.
        let leaf = (0..hierarchy.len() as u32)
            .find(|&leaf| hierarchy.ancestors(leaf).contains(&code))
            .unwrap();
        let above = hierarchy.ancestors(leaf).iter().rev().filter(|&&c| c != 0 && c <= code);
        let mut codes: Vec<&str> = above.map(|&c| hierarchy.name(c)).collect();
        while codes.len() < 3 {
            codes.insert(0, "NULL");
        }
        rows.push(format!("{} {}", codes.join(" "), table.values()[at]));
    }
    rows.sort();
    let mut document = [
        "2 0 0 2",
        "10 2 0 1",
        "9 1 1 3",
        "15 3 1 1",
        "NULL 0 0 2",
        "NULL 2 0 1",
        "NULL 1 1 3",
        "NULL 3 1 1",
        "NULL NULL 0 3",
        "NULL NULL 1 4",
        "NULL NULL NULL 7",
    ];
    document.sort_unstable();
    assert_eq!(rows, document);
}
