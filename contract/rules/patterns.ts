/**
 * Instructions for the texts that match a pattern of the contract, by pattern: messages of the service and of forms contain these
 * sentences, never a pattern.
 */
export const PATTERN_INSTRUCTIONS: Readonly<Record<string, string>> = {
  '^[A-Za-z][A-Za-z0-9_]*$': 'Use letters, digits and underscores, and begin with a letter',
  '^[A-Za-z][A-Za-z0-9_-]*$': 'Use letters, digits, hyphens and underscores, and begin with a letter',
  '^[a-z][a-z0-9-]*[a-z0-9]$':
    'Use lower-case letters, digits and hyphens, begin with a letter, and end with a letter or digit',
  '^[a-z][a-z0-9-]*$': 'Use lower-case letters, digits and hyphens, and begin with a letter',
  '^[^\\s@.]+(\\.[^\\s@.]+)+$': 'Enter a domain such as example.com',
  '^([^\\s@]+@)?[^\\s@.]+(\\.[^\\s@.]+)+$': 'Enter an e-mail address, or a domain such as example.com',
  '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$':
    'Use letters, digits, hyphens and underscores, with dots between the words',
  '^[A-Za-z0-9_:./-]+$': 'Use letters, digits and the characters _ : . / -',
  '^([01]\\d|2[0-3]):[0-5]\\d$': 'Enter a time such as 07:30',
  '^[0-9]{6}$': 'Enter the six digits shown in the app',
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,7})?)?(Z|[+-]\\d{2}:\\d{2})?)?$':
    'Enter a date such as 2026-11-21, or with a time such as 2026-11-21T09:30:00.000Z',
  '^[0-9a-f]{64}$': 'Enter a SHA-256 checksum: 64 digits and letters from a to f in lower case',
  '^[A-Za-z0-9_-]+$': 'Use letters, digits, hyphens and underscores',
  '^[0-9A-Za-z_-]+$': 'Use letters, digits, hyphens and underscores',
  '^[A-Za-z0-9+/]*={0,2}$': 'Enter the content of the file in Base64',
  '^\\d+$': 'Use digits only',
};
