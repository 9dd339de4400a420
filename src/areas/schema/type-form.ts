import { z } from 'zod';
import type { EntryTypeVm } from '../../api/generated/types.gen.ts';
import { zNewEntryTypeInfo } from '../../api/generated/zod.gen.ts';

/** What a type is called, by the rules of the contract. */
export const typeSchema = zNewEntryTypeInfo;
export type TypeValues = z.infer<typeof typeSchema>;

export const typeValues = (type: EntryTypeVm | undefined): TypeValues => ({
  apiName: type?.apiName ?? '',
  singularName: type?.singularName ?? '',
  pluralName: type?.pluralName ?? '',
});

/** An apiName that a name suggests: "Deal stage" is DealStage. */
export const apiNameFor = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9 _-]/g, '')
    .split(/[ _-]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^[0-9]+/, '')
    .slice(0, 64);
