//! The date, as records and names of files have it.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// The day in UTC, as records write it: `2026-11-22`.
#[must_use]
pub fn today() -> String {
    day(since_1970() / SECONDS_A_DAY)
}

/// The day and the second in UTC, as part of a file name: `2026-11-22-035023`.
#[must_use]
pub fn moment() -> String {
    let now = since_1970();
    let second = now % SECONDS_A_DAY;
    format!("{}-{:02}{:02}{:02}", day(now / SECONDS_A_DAY), second / 3600, second / 60 % 60, second % 60)
}

/// The seconds since 1970; a clock set to an earlier day stands at its beginning.
fn since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// The date so many days after the first of January 1970, in the Gregorian calendar.
fn day(days: u64) -> String {
    // Years are counted from the first of March, so that the day that not all of them have is the last one. A calendar
    // repeats after 400 years, which have 146,097 days; 719,468 of them lie between March of the year 0 and 1970.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, five months have 153 days again and again.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates_in_leap_years_too() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (10_956, "1999-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_779, "2026-11-22"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (157_113, "2400-02-29"),
        ] {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn days_follow_each_other() {
        let mut expected = (1970, 1, 1);
        for days in 0..200_000 {
            let (year, month, date) = expected;
            assert_eq!(day(days), format!("{year:04}-{month:02}-{date:02}"));
            let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            let last = match month {
                2 => 28 + i32::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (date == last, month) {
                (false, _) => (year, month, date + 1),
                (true, 12) => (year + 1, 1, 1),
                (true, _) => (year, month + 1, 1),
            };
        }
    }

    #[test]
    fn a_moment_begins_with_its_day() {
        let (before, moment, after) = (today(), moment(), today());
        assert!(moment.starts_with(&before) || moment.starts_with(&after), "{moment}");
        assert_eq!(moment.len(), "2026-11-22-035023".len());
    }
}
