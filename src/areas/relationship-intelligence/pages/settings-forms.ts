/** Checks of typed settings by the contract, with sentences that say what to write. */
import { z } from 'zod';
import { zDomainName, zExclusionInfo, zRelationshipSettingsInfo } from '../../../api/generated/zod.gen.ts';

const info = zRelationshipSettingsInfo.shape;

const isValid = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** An address or domain to exclude, as it is stored. */
export const exclusionSchema = z.object({
  value: z
    .string()
    .transform(normalizeExclusion)
    .refine((value) => isValid(zExclusionInfo.shape.value, value), {
      message: 'Enter an address such as ann@example.com, or a domain with its ending, such as example.com',
    }),
});

/** People also write domains as `@example.com`. */
export function normalizeExclusion(text: string): string {
  return text.trim().toLowerCase().replace(/^@/, '');
}

const splitDomains = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter((one) => one !== ''),
  ),
];

const toNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Periods and internal domains, from texts to what the service takes. */
export const periodsSchema = z.object({
  historicalSyncPeriodDays: z
    .string()
    .refine((text) => text.trim() !== '' && isValid(info.historicalSyncPeriodDays, Number(text)), {
      message: 'Enter a whole number of days from 0 to 3,650',
    })
    .transform(Number),
  retentionDays: z
    .string()
    .refine((text) => isValid(info.retentionDays, toNumber(text)), {
      message: 'Enter a whole number of days from 62 to 36,500, or nothing to keep the items',
    })
    .transform(toNumber),
  internalDomains: z
    .string()
    .transform(splitDomains)
    .superRefine((domains, context) => {
      const wrong = domains.find((one) => !isValid(zDomainName, one));
      if (wrong !== undefined)
        context.addIssue({
          code: 'custom',
          message: `${wrong} is no domain. Write it with its ending and without @, such as example.com`,
        });
      else if (!isValid(info.internalDomains, domains))
        context.addIssue({ code: 'custom', message: 'Enter at most 1,000 domains' });
    }),
});
