import { expect, it } from 'vitest';
import { getInitials } from './initials.ts';

it.each([
  ['Amara Okonkwo', 'AO'],
  ['  Åsa ', 'Å'],
  ['Chiara de la Bianchi-Ferraro', 'CB'],
  ['', ''],
  ['Zoë (External)', 'ZE'],
  ["— Gino d'Acampo", 'GD'],
  ['王 小明', '王小'],
])('shortens %s to %s', (name, letters) => {
  expect(getInitials(name)).toBe(letters);
});
