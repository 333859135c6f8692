//! Which method of this project a method of the batch is.
//!
//! The names are those of `Technique::name`. A method that is added to the suppress crate under such a name works in batches from then on.

use cellveil_argus::Costs;
use cellveil_argus::arb::Technique;
use cellveil_suppress::Method;

/// The method, or what to say if there is none yet.
pub(super) fn method_of(technique: Technique) -> Result<Method, (String, String)> {
    technique.name().parse().map_err(|_| {
        let code = technique.code();
        let what =
            format!("`{code}` is the method `{}`, which does not exist yet", technique.name());
        let hint = match technique {
            Technique::CellKey => {
                "use `RND` for a table without holes, or `AUTO`, which withholds cells".to_owned()
            }
            _ => format!("use `AUTO` in place of `{code}`, or run the batch with `--method auto`"),
        };
        (what, hint)
    })
}

/// How a method counts costs: the exact one of τ-ARGUS works with the whole numbers of a JJ file.
pub(super) fn costs_of(technique: Technique) -> Costs {
    match technique {
        Technique::Optimal => Costs::Scaled,
        _ => Costs::Plain,
    }
}
