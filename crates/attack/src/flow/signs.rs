//! Signs for relations, joined two by two.

/// Relations joined by equations `sign · sign' = ±1`.
pub(super) struct Signs {
    leader: Vec<u32>,
    /// The sign relative to the leader.
    sign: Vec<i8>,
}

impl Signs {
    pub(super) fn new(count: usize) -> Self {
        Self { leader: (0..count as u32).collect(), sign: vec![1; count] }
    }

    /// The leader of a relation, and its sign relative to that one.
    pub(super) fn find(&mut self, at: u32) -> (u32, i8) {
        let (mut root, mut total) = (at, 1);
        while self.leader[root as usize] != root {
            total *= self.sign[root as usize];
            root = self.leader[root as usize];
        }
        let (mut node, mut left) = (at, total);
        while self.leader[node as usize] != root {
            let own = std::mem::replace(&mut self.sign[node as usize], left);
            node = std::mem::replace(&mut self.leader[node as usize], root);
            left *= own;
        }
        (root, total)
    }

    /// Demands that the signs of two relations have this product; false if they have the other one already.
    #[must_use]
    pub(super) fn join(&mut self, a: u32, b: u32, product: i8) -> bool {
        let ((a, sign_a), (b, sign_b)) = (self.find(a), self.find(b));
        if a == b {
            return sign_a * sign_b == product;
        }
        self.leader[a.max(b) as usize] = a.min(b);
        self.sign[a.max(b) as usize] = sign_a * sign_b * product;
        true
    }
}
