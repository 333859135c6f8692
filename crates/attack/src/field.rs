//! Arithmetic modulo a Mersenne prime 2ᵇ − 1: nothing is rounded, and a remainder is two shifts away.

/// The field of 2ᵇ − 1 elements, for an exponent `b` of at most 61 that gives a prime.
#[derive(Clone, Copy, Debug)]
pub struct Field<const BITS: u32>;

impl<const BITS: u32> Field<BITS> {
    /// The prime.
    pub const PRIME: u64 = (1 << BITS) - 1;

    /// What a whole number is in the field.
    pub fn residue(number: i32) -> u64 {
        let size = u64::from(number.unsigned_abs()) % Self::PRIME;
        if number < 0 { Self::negative(size) } else { size }
    }

    /// `−a`
    pub fn negative(a: u64) -> u64 {
        if a == 0 { 0 } else { Self::PRIME - a }
    }

    /// `a + b`
    pub fn add(a: u64, b: u64) -> u64 {
        let sum = a.wrapping_add(b);
        if sum >= Self::PRIME { sum - Self::PRIME } else { sum }
    }

    /// `a · b`
    pub fn times(a: u64, b: u64) -> u64 {
        if BITS < 32 {
            // Below 2⁶²: no overflow, and no 128 bits.
            let product = a.wrapping_mul(b);
            return Self::add(product & Self::PRIME, product >> BITS);
        }
        let product = u128::from(a) * u128::from(b);
        Self::add((product as u64) & Self::PRIME, (product >> BITS) as u64)
    }

    /// `1 / number`, by Fermat's little theorem; 0 of 0.
    pub fn inverse(number: u64) -> u64 {
        let (mut power, mut result, mut left) = (number, 1, Self::PRIME - 2);
        while left > 0 {
            if left & 1 == 1 {
                result = Self::times(result, power);
            }
            power = Self::times(power, power);
            left >>= 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::Field;

    #[test]
    fn every_number_times_its_inverse_is_one() {
        for number in [1, 2, 3, 1_000_003, Field::<31>::PRIME - 1] {
            assert_eq!(Field::<31>::times(number, Field::<31>::inverse(number)), 1);
            assert_eq!(Field::<61>::times(number, Field::<61>::inverse(number)), 1);
        }
    }

    #[test]
    fn negative_numbers_add_up_to_nothing() {
        for number in [0, 1, 7, i32::MAX, i32::MIN + 1] {
            let (a, b) = (Field::<61>::residue(number), Field::<61>::residue(-number));
            assert_eq!(Field::<61>::add(a, b), 0);
        }
        let most = Field::<61>::PRIME - 1;
        assert_eq!(Field::<61>::times(most, most), 1);
    }
}
