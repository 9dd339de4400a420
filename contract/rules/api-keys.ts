/** So many days before an API key expires its owner is told. */
export const KEY_REMINDER_DAYS = 14;
/** No API key expires later than so many days after it is turned on; one without an end does not expire. */
export const MOST_KEY_DAYS = 3650;
