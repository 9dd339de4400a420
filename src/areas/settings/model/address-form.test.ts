import { expect, it } from 'vitest';
import type { RehearsedPlace } from '../../../api/generated/types.gen.ts';
import { addressesSchema, byPerson, filled, rehearsable } from './address-form.ts';

const lines = (...networks: string[]) => ({ addresses: networks.map((network) => ({ network, note: '' })) });

it('finds every line that is none or stands twice, at its field', () => {
  const { error } = addressesSchema.safeParse(lines('10.0.0.0/8', 'home', '10.0.0.0/8', ''));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'addresses.1.network',
    'addresses.2.network',
  ]);
});

it('keeps a note without an address from being lost', () => {
  const { success } = addressesSchema.safeParse({ addresses: [{ network: '', note: 'Office' }] });
  expect(success).toBe(false);
});

it('sends and rehearses what is written, not the empty lines', () => {
  expect(filled(lines(' 10.0.0.1 ', ''))).toEqual([{ network: '10.0.0.1', note: '' }]);
  expect(rehearsable(lines('10.0.0.1', ''))).toEqual(['10.0.0.1']);
  expect(rehearsable(lines('10.0.0.1', '10.0.0.'))).toBeUndefined();
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

it('tells each person once, with all the places', () => {
  const people = byPerson([place(1, 'a'), place(2, 'b'), place(1, 'c')]);
  expect(people.map(({ person, from }) => [person.userId, from.map(({ ipAddress }) => ipAddress)])).toEqual([
    [1, ['a', 'c']],
    [2, ['b']],
  ]);
});
