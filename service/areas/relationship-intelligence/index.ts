/** Contacts of people in the entry type that a site has chosen. */
export { findOrCreateContact, hasContactTarget } from './relations/contacts.ts';
