import type { Mend } from '../formats/items.ts';
import type { FileFormat } from '../formats/read-file.ts';

/** What was repaired, after a number of items: "1,180 without display name". */
export const MEND_TEXTS: Readonly<Record<Mend, { label: string; explanation: string }>> = {
  nameAdded: {
    label: 'without display name',
    explanation: 'The address is sent as the display name, which the service requires.',
  },
  bccOmitted: {
    label: 'with Bcc left out',
    explanation: 'Imports have no Bcc: these recipients are not sent.',
  },
  groupFlattened: {
    label: 'with flattened groups',
    explanation: 'The members of a named group are sent as single recipients.',
  },
  addressOmitted: {
    label: 'with recipients left out',
    explanation: 'Recipients without a valid e-mail address are left out; the others are sent.',
  },
  exchangeNameOmitted: {
    label: 'with Exchange names left out',
    explanation:
      'Recipients that are directory names of Exchange are left out until you enter their addresses.',
  },
  exchangeNameReplaced: {
    label: 'with Exchange names replaced',
    explanation: 'The addresses that you entered are sent instead of the directory names.',
  },
  idCreated: {
    label: 'without id',
    explanation: 'An id is computed from date, sender and recipients, the same in every import.',
  },
  idShortened: { label: 'with a shortened id', explanation: 'Ids have at most 1,000 characters.' },
  nameShortened: { label: 'with shortened names', explanation: 'Display names have at most 500 characters.' },
  textRepaired: {
    label: 'with unreadable text',
    explanation: 'Characters that cannot be decoded are left out of names and ids.',
  },
  zoneAssumed: { label: 'without time zone', explanation: 'Dates without a time zone are read as UTC.' },
  dateReplaced: {
    label: 'with the date of delivery',
    explanation: 'The date of the e-mail cannot be read; the mailbox says when it was delivered.',
  },
  endAssumed: { label: 'without end', explanation: 'A meeting without an end ends when it starts.' },
  occurrencesLimited: {
    label: 'with more occurrences than are imported',
    explanation: 'At most 730 occurrences of a recurring meeting are imported.',
  },
};

/** Names of the formats in the summary of a file. */
export const FORMAT_NAMES: Readonly<Record<FileFormat, string>> = {
  json: 'JSON',
  ndjson: 'NDJSON',
  exchange: 'Exchange message trace',
  google: 'Google e-mail log',
  csv: 'CSV',
  mbox: 'mbox mailbox',
  eml: 'E-mail',
  zip: 'ZIP of e-mails',
  ics: 'Calendar',
  pst: 'Outlook data file',
  unknown: 'Unknown format',
};
