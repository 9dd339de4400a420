import {
  Banknote,
  Calendar,
  CircleDot,
  Hash,
  Image,
  Link2,
  ListOrdered,
  Paperclip,
  SquareCheck,
  Type,
  UserRound,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import type { Field } from './schema.ts';

const ICONS: Readonly<Record<Field['fieldType'], LucideIcon>> = {
  [FIELD.text]: Type,
  [FIELD.choice]: CircleDot,
  [FIELD.number]: Hash,
  [FIELD.date]: Calendar,
  [FIELD.reference]: Link2,
  [FIELD.boolean]: SquareCheck,
  [FIELD.user]: UserRound,
  [FIELD.binary]: Paperclip,
  [FIELD.counter]: ListOrdered,
  [FIELD.image]: Image,
  [FIELD.currency]: Banknote,
};

/** Decorative icon of a field's type. */
export function FieldIcon({ field }: { field: Field }) {
  const Icon = holdsMoney(field) ? Banknote : ICONS[field.fieldType];
  return <Icon className="field-icon" aria-hidden />;
}
