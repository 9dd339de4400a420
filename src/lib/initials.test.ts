import { expect, it } from 'vitest';
import { initials } from './initials.ts';

it.each([
  ['Amara Okonkwo', 'AO'],
  ['  Åsa ', 'Å'],
  ['Chiara de la Bianchi-Ferraro', 'CB'],
  ['', ''],
])('%s gives %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
