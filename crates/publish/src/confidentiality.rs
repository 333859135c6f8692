//! What a table says about a cell besides its value.

use cellveil_core::{CellId, Pattern, Problem, Reason, Why};

/// The letter in the `status` column: `v` published, `p` primary, `s` secondary.
pub(crate) fn status_letter(why: Option<Why>) -> &'static str {
    match why {
        None => "v",
        Some(Why::Primary) => "p",
        Some(Why::Secondary) => "s",
    }
}

/// The SDMX `CONF_STATUS` of a cell.
pub(crate) fn conf_status(problem: &Problem, pattern: &Pattern, cell: CellId) -> &'static str {
    match pattern.why(cell) {
        None => "F",
        Some(Why::Secondary) => "D",
        Some(Why::Primary) => primary_status(problem.needs().of(cell).map(|need| need.reason)),
    }
}

/// The SDMX `CONF_STATUS` of a sensitive cell.
pub(crate) fn primary_status(reason: Option<Reason>) -> &'static str {
    match reason {
        Some(Reason::Frequency) => "A",
        Some(Reason::Dominance) => "G",
        Some(Reason::PPercent | Reason::Pq | Reason::RowShare | Reason::ColumnShare) => "M",
        Some(
            Reason::Request | Reason::Zero | Reason::Manual | Reason::Given | Reason::Interval,
        )
        | None => "C",
    }
}

/// Whether a `CONF_STATUS` may stand beside a status. The reason itself is not part of the instance that verification replays.
pub(crate) fn agree(why: Option<Why>, conf_status: &str) -> bool {
    match why {
        None => conf_status == "F",
        Some(Why::Primary) => ["A", "C", "G", "M"].contains(&conf_status),
        Some(Why::Secondary) => conf_status == "D",
    }
}

/// The meaning of every letter, for people.
pub(crate) const LEGEND: [(&str, &str, &str); 9] = [
    ("status", "v", "published"),
    ("status", "p", "withheld because it is sensitive itself (primary)"),
    ("status", "s", "withheld so that others cannot be recomputed (secondary)"),
    ("CONF_STATUS", "F", "free for publication"),
    ("CONF_STATUS", "A", "primary: small counts"),
    ("CONF_STATUS", "G", "primary: dominance by one or two units"),
    ("CONF_STATUS", "M", "primary: other concentration measure"),
    ("CONF_STATUS", "C", "primary: confidential for another reason"),
    ("CONF_STATUS", "D", "secondary"),
];
