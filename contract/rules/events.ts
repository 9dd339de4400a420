/** Days for which events and the attempts to deliver them are kept (shapes 7). */
export const EVENT_RETENTION_DAYS = 9;
