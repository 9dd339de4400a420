import { expect, it } from 'vitest';
import { getInitials } from './initials.ts';

it.each([
  ['Amara Okonkwo', 'AO'],
  ['  Åsa ', 'Å'],
  ['Chiara de la Bianchi-Ferraro', 'CB'],
  ['', ''],
])('shortens %s to %s', (name, letters) => {
  expect(getInitials(name)).toBe(letters);
});
