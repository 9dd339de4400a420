import { expect, test } from 'vitest';
import { getAddressKey } from './throttle.store.ts';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the rate limit of %s uses the key %s', (ip, key) => {
  expect(getAddressKey(ip)).toBe(key);
});
