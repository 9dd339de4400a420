import { expect, it } from 'vitest';
import type { RehearsedPlace } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { groupByPerson } from '../rehearsal/group-places.ts';
import { addNetwork, addressesSchema, toAddresses, toLineErrors, getValidNetworks } from './address-form.ts';

const lines = (...networks: string[]) => ({ addresses: networks.map((network) => ({ network, note: '' })) });

it('reports invalid and duplicate lines at their fields', () => {
  const { error } = addressesSchema.safeParse(lines('10.0.0.0/8', 'home', '10.0.0.0/8', ''));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'addresses.1.network',
    'addresses.2.network',
  ]);
});

it('limits the list to 1,000 addresses, without its empty lines', () => {
  const networks = Array.from({ length: 1000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);
  expect(addressesSchema.safeParse(lines(...networks, '')).success).toBe(true);
  const { error } = addressesSchema.safeParse(lines(...networks, '203.0.113.1'));
  expect(error?.issues).toMatchObject([{ path: ['addresses'], message: 'At most 1,000 addresses' }]);
});

it('shows errors of the service at their lines, although empty lines are not sent', () => {
  const refusal = new ServiceError(400, 'Not accepted', [
    { path: 'addresses.1.network', message: 'is in the list already' },
    { path: 'addresses', message: 'would lock you out' },
  ]);
  const { fields } = toLineErrors(refusal, lines('', '2001:DB8::1', ' ', '2001:db8::1'));
  expect(fields.map(({ path }) => path)).toEqual(['addresses.3.network', 'addresses']);
});

it('rejects a note without an address', () => {
  const { success } = addressesSchema.safeParse({ addresses: [{ network: '', note: 'Office' }] });
  expect(success).toBe(false);
});

it('adds the address that a link names once', () => {
  expect(addNetwork(lines('10.0.0.1'), '10.0.0.2')).toEqual(lines('10.0.0.1', '10.0.0.2'));
  expect(addNetwork(lines('10.0.0.1'), '10.0.0.1')).toEqual(lines('10.0.0.1'));
  expect(addNetwork(lines('10.0.0.1'), undefined)).toEqual(lines('10.0.0.1'));
});

it('ignores empty lines when saving and rehearsing', () => {
  expect(toAddresses(lines(' 10.0.0.1 ', ''))).toEqual([{ network: '10.0.0.1', note: '' }]);
  expect(getValidNetworks(lines('10.0.0.1', ''))).toEqual(['10.0.0.1']);
  expect(getValidNetworks(lines('10.0.0.1', '10.0.0.'))).toBeUndefined();
});

const place = (userId: number, ipAddress: string): RehearsedPlace => ({
  userId,
  ipAddress,
  userName: '',
  fullName: '',
  isActive: true,
  ipRestrictionsEnabled: true,
  count: 1,
  lastDate: '2026-03-01T08:00:00.000Z',
});

it('groups places by user', () => {
  const people = groupByPerson([place(1, 'a'), place(2, 'b'), place(1, 'c')]);
  expect(people.map(({ person, from }) => [person.userId, from.map(({ ipAddress }) => ipAddress)])).toEqual([
    [1, ['a', 'c']],
    [2, ['b']],
  ]);
});
