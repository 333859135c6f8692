//! Tallies and extents as bytes, for the way from one thread's part to the whole.

use cellveil_core::Contribution;
use cellveil_tabulate::{Extent, Tally};
use datafusion::common::{DataFusionError, Result};

pub(crate) fn tally_to_bytes(tally: &Tally, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&tally.count.to_le_bytes());
    for sum in [tally.response, tally.value, tally.weight] {
        bytes.extend_from_slice(&sum.to_le_bytes());
    }
    bytes.push(u8::from(tally.negative));
    for request in tally.requests {
        bytes.push(u8::from(request.is_some()));
        bytes.extend_from_slice(&request.unwrap_or(0).to_le_bytes());
    }
    for contribution in &tally.top {
        bytes.extend_from_slice(&contribution.value.to_le_bytes());
        bytes.extend_from_slice(&contribution.weight.to_le_bytes());
    }
}

pub(crate) fn tally_of_bytes(bytes: &[u8]) -> Result<Tally> {
    let mut bytes = Bytes(bytes);
    let count = u64::from_le_bytes(bytes.take()?);
    let (response, value, weight) = (bytes.wide()?, bytes.wide()?, bytes.wide()?);
    let negative = bytes.take::<1>()? != [0];
    let mut requests = [None; 2];
    for request in &mut requests {
        let is_some = bytes.take::<1>()? != [0];
        let amount = i64::from_le_bytes(bytes.take()?);
        *request = is_some.then_some(amount);
    }
    let mut top = Vec::with_capacity(bytes.0.len() / 16);
    while !bytes.0.is_empty() {
        let value = i64::from_le_bytes(bytes.take()?);
        top.push(Contribution { value, weight: i64::from_le_bytes(bytes.take()?) });
    }
    Ok(Tally { count, response, value, weight, top, requests, negative })
}

pub(crate) fn extent_to_bytes(extent: &Extent) -> Vec<u8> {
    let mut bytes = extent.records.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[extent.response_decimals, extent.weight_decimals]);
    for sum in [extent.response, extent.weight, extent.product] {
        bytes.extend_from_slice(&sum.to_le_bytes());
    }
    bytes
}

pub(crate) fn extent_of_bytes(bytes: &[u8]) -> Result<Extent> {
    let mut bytes = Bytes(bytes);
    let records = u64::from_le_bytes(bytes.take()?);
    let [response_decimals, weight_decimals] = bytes.take()?;
    let (response, weight, product) = (bytes.wide()?, bytes.wide()?, bytes.wide()?);
    Ok(Extent { records, response_decimals, weight_decimals, response, weight, product })
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or_else(|| DataFusionError::Internal("a cut-off tally".to_owned()))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn wide(&mut self) -> Result<i128> {
        Ok(i128::from_le_bytes(self.take()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellveil_tabulate::Record;

    #[test]
    fn what_is_written_is_read_back() -> Result<()> {
        let mut tally = Tally::default();
        for (response, request) in [(-5, None), (7, Some(1)), (3, Some(1))] {
            tally.add(Record { response, weight: 2, value: i128::from(2 * response), request }, 2);
        }
        let mut bytes = Vec::new();
        tally_to_bytes(&tally, &mut bytes);
        assert_eq!(tally_of_bytes(&bytes)?, tally);
        assert!(tally_of_bytes(&bytes[..bytes.len() - 1]).is_err());
        let mut extent = Extent::default();
        extent.add(-1_500_000_000, 250_000_000);
        assert_eq!(extent_of_bytes(&extent_to_bytes(&extent))?, extent);
        Ok(())
    }
}
