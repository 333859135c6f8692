//! `<SAFETYRULE> P(15,1)|FREQ(3,10)|…`

use super::{Wrong, wrong};

/// A rule about the largest contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concentration {
    /// The `n` largest hold more than `k` per cent.
    Dominance {
        /// How many.
        n: usize,
        /// Their share.
        k: u32,
    },
    /// The largest can be estimated to within `p` per cent, where everything was known to within `q` before.
    PriorPosterior {
        /// To within so much.
        p: u32,
        /// From so much.
        q: u32,
        /// By how many others together.
        n: usize,
    },
}

/// The threshold rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Fewer than so many are too few.
    pub below: u64,
    /// The protection level, in per cent.
    pub range: u32,
}

/// The request rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// The share that requests of either kind tolerate.
    pub percents: [u32; 2],
    /// Fewer than so many contributors are too few.
    pub below: u64,
    /// The protection level, in per cent.
    pub range: u32,
}

/// All rules of one table; index 0 is for respondents, 1 for holdings.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Rules about the largest.
    pub concentration: [Vec<Concentration>; 2],
    /// The threshold.
    pub frequency: [Option<Threshold>; 2],
    /// Requests.
    pub request: [Option<Requests>; 2],
    /// The upper protection level of zeros, if they are unsafe.
    pub zero: Option<f64>,
    /// Whether cells with a missing code are safe.
    pub missing_safe: bool,
    /// Whether sampling weights count.
    pub weights: bool,
    /// The protection level of cells made unsafe by hand, in per cent.
    pub manual: u32,
    /// Whether the statuses of a finished table count; any rule but `MAN` ends that.
    pub given: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            concentration: [Vec::new(), Vec::new()],
            frequency: [None; 2],
            request: [None; 2],
            zero: None,
            missing_safe: false,
            weights: false,
            manual: 20,
            given: true,
        }
    }
}

impl Rules {
    /// Whether holdings are looked at.
    pub fn by_holding(&self) -> bool {
        !self.concentration[1].is_empty()
            || self.frequency[1].is_some()
            || self.request[1].is_some()
    }

    /// How many of the largest contributions are looked at.
    pub fn top(&self) -> usize {
        let depth = |rule: &Concentration| match *rule {
            Concentration::Dominance { n, .. } => n,
            Concentration::PriorPosterior { n, .. } => n + 1,
        };
        self.concentration.iter().flatten().map(depth).max().unwrap_or(0)
    }

    pub(super) fn parse(rest: &str) -> Result<Self, Wrong> {
        let mut rules = Self::default();
        let mut slots = Slots::default();
        for item in rest.split('|').map(str::trim).filter(|item| !item.is_empty()) {
            rules.rule(item, &mut slots)?;
        }
        if rules.weights && rules.by_holding() {
            return Err(wrong(
                "weights and holdings cannot be used together",
                "leave out `WGT(1)`, or the rules for holdings",
            ));
        }
        Ok(rules)
    }

    fn rule(&mut self, item: &str, slots: &mut Slots) -> Result<(), Wrong> {
        let (name, numbers) = call(item)?;
        let whole: Vec<u32> = numbers.iter().filter_map(|n| n.parse().ok()).collect();
        let is_whole = whole.len() == numbers.len();
        let args = whole.as_slice();
        let share = |percent: u32| percent <= 100;
        match (name.as_str(), args) {
            ("P", &[p]) if is_whole => self.prior(p, 100, 1, slots),
            ("P", &[p, n]) if is_whole => self.prior(p, 100, n, slots),
            ("P", &[p, q, n]) if is_whole => self.prior(p, q, n, slots),
            ("NK", &[n, k]) if is_whole && share(k) => {
                let rule = Concentration::Dominance { n: n as usize, k };
                self.concentrate(slots.nk, 4, "NK", (n > 0 && k > 0).then_some(rule))?;
                slots.nk += 1;
                Ok(())
            }
            ("FREQ", &[below, range]) if is_whole && share(range) => {
                let at = slots.next_of_two(name.as_str())?;
                let rule = Threshold { below: u64::from(below), range };
                self.frequency[at] = (below > 0).then_some(rule);
                self.given = false;
                Ok(())
            }
            ("REQ", &[p1, p2, below, range]) if is_whole && share(p1.max(p2).max(range)) => {
                self.request(slots, [p1, p2], below, range)
            }
            ("REQ", &[p1, p2, range]) if is_whole && share(p1.max(p2).max(range)) => {
                self.request(slots, [p1, p2], 0, range)
            }
            ("ZERO", _) if numbers.len() == 1 => {
                let range = numbers[0].parse().ok().filter(|range: &f64| *range >= 0.0);
                self.zero = Some(range.ok_or_else(|| usage("ZERO"))?);
                self.given = false;
                Ok(())
            }
            ("MIS", &[flag @ (0 | 1)]) if is_whole => {
                (self.missing_safe, self.given) = (flag == 1, false);
                Ok(())
            }
            ("WGT", &[flag @ (0 | 1)]) if is_whole => {
                (self.weights, self.given) = (flag == 1, false);
                Ok(())
            }
            ("MAN", &[percent]) if is_whole && share(percent) => {
                self.manual = percent;
                Ok(())
            }
            (known, _) => Err(usage(known)),
        }
    }

    fn prior(&mut self, p: u32, q: u32, n: u32, slots: &mut Slots) -> Result<(), Wrong> {
        if p > q && p > 0 {
            return Err(wrong("p must not exceed q", "write them as in `P(15,100,1)`"));
        }
        let rule = Concentration::PriorPosterior { p, q, n: (n as usize).max(1) };
        self.concentrate(slots.p, 4, "P", (p > 0).then_some(rule))?;
        slots.p += 1;
        Ok(())
    }

    fn concentrate(
        &mut self,
        slot: usize,
        most: usize,
        name: &str,
        rule: Option<Concentration>,
    ) -> Result<(), Wrong> {
        if slot >= most {
            return Err(wrong(
                format!("there are more than four rules `{name}`"),
                "two for respondents, then two for holdings",
            ));
        }
        self.given = false;
        self.concentration[slot / 2].extend(rule);
        Ok(())
    }

    fn request(
        &mut self,
        slots: &mut Slots,
        percents: [u32; 2],
        below: u32,
        range: u32,
    ) -> Result<(), Wrong> {
        let at = slots.next_of_two("REQ")?;
        let rule = Requests { percents, below: u64::from(below), range };
        self.request[at] = (percents != [0, 0] || below > 0).then_some(rule);
        self.given = false;
        Ok(())
    }
}

/// How many rules of each kind there have been: first those for respondents, then those for holdings.
#[derive(Default)]
struct Slots {
    p: usize,
    nk: usize,
    freq: usize,
    req: usize,
}

impl Slots {
    fn next_of_two(&mut self, name: &str) -> Result<usize, Wrong> {
        let slot = if name == "FREQ" { &mut self.freq } else { &mut self.req };
        *slot += 1;
        if *slot > 2 {
            return Err(wrong(
                format!("there are more than two rules `{name}`"),
                "one for respondents, then one for holdings",
            ));
        }
        Ok(*slot - 1)
    }
}

/// `NAME(a,b,c)`.
fn call(item: &str) -> Result<(String, Vec<String>), Wrong> {
    let (name, rest) = item.split_once('(').ok_or_else(|| usage(item))?;
    let inside = rest.trim_end().strip_suffix(')').ok_or_else(|| {
        wrong(format!("`{item}` has no closing bracket"), "close it, and put `|` between rules")
    })?;
    let numbers = inside.split(',').map(|number| number.trim().to_owned()).collect();
    Ok((name.trim().to_uppercase(), numbers))
}

fn usage(name: &str) -> Wrong {
    let shape = match name {
        "P" => "`P(p)`, `P(p,n)` or `P(p,q,n)` with whole numbers",
        "NK" => "`NK(n,k)` with whole numbers, k up to 100",
        "FREQ" => "`FREQ(minimum,range)` with whole numbers, range up to 100",
        "REQ" => "`REQ(percent1,percent2,minimum,range)` with whole numbers",
        "ZERO" => "`ZERO(range)` with a number that is not negative",
        "MIS" => "`MIS(0)` or `MIS(1)`",
        "WGT" => "`WGT(0)` or `WGT(1)`",
        "MAN" => "`MAN(percent)` with a whole number up to 100",
        _ => {
            return wrong(
                format!("`{name}` is no safety rule"),
                "P NK FREQ REQ ZERO MIS WGT MAN, with `|` between them",
            );
        }
    };
    wrong(format!("rule `{name}` is not written as it should be"), format!("write {shape}"))
}
