//! Records of enterprises that do not exist.

use std::fmt::Write;

/// Regions and their counties, with how common each is.
const REGIONS: [(&str, &[(&str, u32)]); 4] = [
    ("Nord", &[("Aulne", 9), ("Brisé", 4), ("Côte-Nord", 2)]),
    ("Sud", &[("Garde", 12), ("Haut-Sud", 5), ("Îles", 1)]),
    ("Est", &[("Lac", 6), ("Mont", 3)]),
    ("Ouest", &[("Port", 15), ("Rive", 7), ("Sable", 4), ("Vallon", 2)]),
];

/// Sections and their activities, with how common each is.
const ACTIVITIES: [(&str, &[(&str, u32)]); 5] = [
    ("A Farming", &[("A1 crops", 10), ("A2 livestock", 7), ("A3 forestry", 2)]),
    ("C Industry", &[("C1 food", 8), ("C2 textile", 3), ("C3 metal", 4), ("C4 chemistry", 1)]),
    ("F Building", &[("F1 houses", 9), ("F2 works", 3)]),
    ("G Trade", &[("G1 retail", 20), ("G2 wholesale", 6), ("G3 vehicles", 4)]),
    ("J Information", &[("J1 publishing", 2), ("J2 software", 6)]),
];

/// Size classes: name, how common, and the scale of turnover.
const SIZES: [(&str, u32, u64); 3] = [("small", 30, 40), ("medium", 6, 600), ("large", 1, 9000)];

/// One line per enterprise.
pub(super) fn records(enterprises: u32, seed: u64) -> String {
    let mut random = Random(seed);
    let counties: Vec<(&str, u32)> =
        REGIONS.iter().flat_map(|(_, codes)| *codes).copied().collect();
    let activities: Vec<(&str, u32)> =
        ACTIVITIES.iter().flat_map(|(_, codes)| *codes).copied().collect();
    let sizes: Vec<(&str, u32)> = SIZES.iter().map(|&(name, common, _)| (name, common)).collect();
    let mut text = String::from("enterprise,holding,region,activity,size,turnover\n");
    for enterprise in 1..=enterprises {
        let county = counties[random.pick(&counties)].0;
        let activity = activities[random.pick(&activities)].0;
        let size = random.pick(&sizes);
        // One in eight belongs to a holding with several enterprises.
        let holding = match random.below(8) {
            0 => format!("H{}", random.below(u64::from(enterprises / 30 + 1))),
            _ => format!("E{enterprise}"),
        };
        // A few are very large: turnover is a scale divided by a uniform number.
        let turnover = SIZES[size].2 * 200 / (1 + random.below(200));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "E{enterprise},{holding},{county},{activity},{},{turnover}",
            SIZES[size].0
        );
    }
    text
}

/// Counties under their regions, one `@` per level.
pub(super) fn region_hrc() -> String {
    let mut text = String::new();
    for (region, counties) in REGIONS {
        let _ = writeln!(text, "{region}");
        for (county, _) in counties {
            let _ = writeln!(text, "@{county}");
        }
    }
    text
}

/// Parents and children of activities.
pub(super) fn activity_csv() -> String {
    let mut text = String::from("parent,child\n");
    for (section, activities) in ACTIVITIES {
        for (activity, _) in activities {
            let _ = writeln!(text, "{section},{activity}");
        }
    }
    text
}

/// `SplitMix64`: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A position, by how common each is.
    fn pick(&mut self, codes: &[(&str, u32)]) -> usize {
        let total: u32 = codes.iter().map(|(_, common)| common).sum();
        let mut left = self.below(u64::from(total));
        codes
            .iter()
            .position(|&(_, common)| {
                let found = left < u64::from(common);
                left = left.saturating_sub(u64::from(common));
                found
            })
            .unwrap_or(0)
    }
}
