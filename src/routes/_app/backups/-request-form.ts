import { z } from 'zod';
import type { BackupRequestVm } from '../../../api/generated/types.gen.ts';

export const requestSchema = z
  .object({
    scope: z.enum(['site', 'types']),
    typeIds: z.array(z.number()),
    includeFiles: z.boolean(),
    notify: z.boolean(),
  })
  .refine(({ scope, typeIds }) => scope === 'site' || typeIds.length > 0, {
    path: ['typeIds'],
    message: 'Choose at least one entry type, or the whole site',
  });

export type RequestValues = z.infer<typeof requestSchema>;

export const FIRST: RequestValues = { scope: 'site', typeIds: [], includeFiles: false, notify: true };

/** What is asked of the service: neither ids nor names mean the whole site (shapes 3). */
export const bodyOf = ({ scope, typeIds, includeFiles, notify }: RequestValues): BackupRequestVm => ({
  includeFiles,
  notify,
  ...(scope === 'types' && { ids: typeIds }),
});
