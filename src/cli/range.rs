//! Values of options on the command line: `5..9`, `x,y,z`, or one.

/// So many values at most stand in a range.
const MOST: i64 = 1_000;

/// An option with the values that it is to take, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    pub name: String,
    pub values: Vec<String>,
}

/// Reads `NAME=a..b` or `NAME=x,y,z`.
pub fn values(text: &str) -> Result<Values, String> {
    let wrong = || "write it as NAME=5..9 or NAME=x,y,z".to_owned();
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let (name, values) = (name.trim().to_owned(), values.trim());
    let list: Vec<String> = match bounds(values) {
        Some((low, high)) if low <= high && high - low < MOST => (low..=high).map(|value| value.to_string()).collect(),
        Some((low, high)) if low <= high => return Err(format!("a range holds at most {MOST} values")),
        Some(_) => return Err(format!("the range {values} is empty")),
        None => values.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    if name.is_empty() || list.iter().any(String::is_empty) { Err(wrong()) } else { Ok(Values { name, values: list }) }
}

/// The ends of a range, both of which belong to it.
pub fn bounds(text: &str) -> Option<(i64, i64)> {
    let (low, high) = text.split_once("..")?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
}

/// Every way to take one value of each, the last option changing first.
#[must_use]
pub fn product(options: &[Values]) -> Vec<Vec<(String, String)>> {
    options.iter().fold(vec![Vec::new()], |ways, option| {
        let longer = |way: &Vec<(String, String)>| {
            let way = way.clone();
            option
                .values
                .iter()
                .map(move |value| way.iter().cloned().chain([(option.name.clone(), value.clone())]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        ways.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_are_read() {
        let list = |text: &str| values(text).map(|found| found.values);
        assert_eq!(list("size=-1..2"), Ok(["-1", "0", "1", "2"].map(str::to_owned).to_vec()));
        assert_eq!(list("pie = yes, no"), Ok(["yes", "no"].map(str::to_owned).to_vec()));
        assert_eq!(list("size=7"), Ok(vec!["7".to_owned()]));
        for wrong in ["size", "size=", "=3", "size=9..5", "size=0..99999", "size=1,,2"] {
            assert!(list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_way_comes_once() {
        let ways = product(&[values("a=1,2").unwrap(), values("b=x..y,z").unwrap()]);
        assert_eq!(ways.len(), 4);
        assert_eq!(ways[1], [("a".to_owned(), "1".to_owned()), ("b".to_owned(), "z".to_owned())]);
        assert_eq!(product(&[]), [Vec::new()]);
    }
}
