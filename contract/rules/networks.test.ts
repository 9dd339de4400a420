import { expect, test } from 'vitest';
import { validateNetwork } from './networks.ts';

test.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '2001:db8::/48', '::1', '2001:db8::1/128'])(
  'accepts %s',
  (text) => expect(validateNetwork(text)).toBeUndefined(),
);

test.each([
  '',
  'office',
  '203.0.113',
  '203.0.113.256',
  '010.0.0.1',
  '203.0.113.0/33',
  '203.0.113.0/024',
  '203.0.113.0/',
  '203.0.113.0/24/8',
  '203.0.113.0/-1',
  '2001:db8::/129',
  'fe80::1%eth0',
  '::ffff:203.0.113.7',
  '0:0:0:0:0:FFFF:cb00:7107/128',
  '::0:ffff:0:0/96',
  '203.0.113.7 ',
  '0x7f.1',
])('rejects “%s”', (text) => expect(validateNetwork(text)).toBeDefined());
