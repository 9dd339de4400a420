/** Reads and validates the sample data in `data/*.json`. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../contract/rules/people/capabilities.ts';

const readJson = <T>(name: string, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8')));

/** Groups of the data with a meaning for the code. */
export const INTEGRATIONS_GROUP = 'Integrations';
export const PARTNERS_GROUP = 'Partners';
export const BACKUP_OPERATORS_GROUP = 'Backup operators';

const allCapabilities = capabilities.map(({ name }) => name);
const capabilityName = z.custom<Capability>((value) => allCapabilities.some((name) => name === value));

/** A group of the sample site. */
export interface SampleGroup {
  name: string;
  description: string;
  capabilities: readonly Capability[];
  /** Set if the group is the main group of some users: their share, and the weights of the license types 1 to 4 (spec 2.2). */
  department?: { share: number; licenseWeights: readonly number[] } | undefined;
  /** Probability that a user of a department belongs to this group as well. */
  joinProbability?: number | undefined;
}

/** Departments first, then the groups that users join in addition. */
export const SAMPLE_GROUPS: readonly SampleGroup[] = readJson(
  'groups',
  z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      capabilities: z.union([z.literal('all').transform(() => allCapabilities), z.array(capabilityName)]),
      department: z
        .strictObject({ share: z.number(), licenseWeights: z.array(z.number()).length(4) })
        .optional(),
      joinProbability: z.number().optional(),
    }),
  ),
);

/** A string, or for names in other scripts the name with its transliteration for e-mail addresses. */
const personName = z.union([z.string(), z.strictObject({ name: z.string(), latin: z.string() })]);
export type PersonName = z.infer<typeof personName>;

/**
 * Names by origin with their share (`weight`) among the users and their UTC offset in hours. Family names are the same for women
 * and men, so that any two parts fit together.
 */
export const NAME_POOLS = readJson(
  'names',
  z.array(
    z.strictObject({
      origin: z.string(),
      weight: z.number(),
      timeZoneOffset: z.number(),
      firstNames: z.array(personName),
      lastNames: z.array(personName),
    }),
  ),
);

export const PEOPLE_DATA = readJson(
  'people',
  z.strictObject({
    /** Names of accounts of programs. */
    serviceAccounts: z.array(z.string()),
    /** Departments to which administrators may belong as well. */
    administratorDepartments: z.array(z.string()),
  }),
);

const siteData = z.strictObject({ slug: z.string(), name: z.string() });

export const SITES_DATA = readJson(
  'sites',
  z.strictObject({
    main: siteData,
    /** A small second site that shares some users with the main site. */
    neighbor: siteData,
    /** E-mail domain of the users in the Partners group. */
    partnerDomain: z.string(),
  }),
);

/** Ids with their weights, as pairs for `Random.weighted`. */
const weightedIds = z
  .array(z.strictObject({ id: z.number(), weight: z.number() }))
  .transform((items) => items.map(({ id, weight }) => [id, weight] as const));

export const ACTIVITY_DATA = readJson(
  'activity',
  z.strictObject({
    /** Sign-ins from Sunday to Saturday, relative to an ordinary Tuesday. */
    weekdayWeights: z.array(z.number()).length(7),
    sourceTypes: weightedIds,
    exportDataTypes: weightedIds,
    actingReasons: z.array(z.string()),
    /** Operations that proxies call; the summaries are those of the contract. */
    actingOperations: z.array(
      z.strictObject({ operationId: z.string(), summary: z.string(), subject: z.string() }),
    ),
  }),
);

const fieldData = z.strictObject({
  apiName: z.string(),
  name: z.string(),
  description: z.string().optional(),
  fieldType: z.enum([
    'text',
    'choice',
    'number',
    'date',
    'reference',
    'boolean',
    'user',
    'counter',
    'currency',
  ]),
  isRequired: z.boolean().optional(),
  isMoney: z.boolean().optional(),
  isMultiSelect: z.boolean().optional(),
  isDateOnly: z.boolean().optional(),
  isSearchable: z.boolean().optional(),
  formula: z.string().optional(),
  choices: z.array(z.string()).optional(),
  /** API names of the entry types to which a reference field refers. */
  entryTypes: z.array(z.enum(['Company', 'Contact', 'Deal'])).optional(),
  /** Condition on an earlier choice field of the same type. */
  requiredWhen: z.strictObject({ field: z.string(), equals: z.string() }).optional(),
});
export type SampleField = z.infer<typeof fieldData>;

const entryTypeData = z.strictObject({
  singularName: z.string(),
  pluralName: z.string(),
  fields: z.array(fieldData),
});
export type SampleEntryType = z.infer<typeof entryTypeData>;

/** Entry types by API name. */
export const ENTRY_TYPES = readJson(
  'entry-types',
  z.strictObject({ Company: entryTypeData, Contact: entryTypeData, Deal: entryTypeData }),
);

/** Names of the stages of a deal, in order; the last two are Won and Lost. */
export const DEAL_STAGES = ENTRY_TYPES.Deal.fields.find(({ apiName }) => apiName === 'Stage')?.choices ?? [];

export const CONTACT_ROLES = readJson('contact-roles', z.array(z.string()));

/** Days before the day of the sample; a step without days did not happen. */
const invitationData = z.strictObject({
  sentDaysAgo: z.number(),
  acceptedDaysAgo: z.number().optional(),
  revokedDaysAgo: z.number().optional(),
  /** Length of a temporary membership; without it the membership is permanent. */
  durationDays: z.number().optional(),
});
export type SampleInvitation = z.infer<typeof invitationData>;

export const INVITATIONS_DATA = readJson(
  'invitations',
  z.strictObject({
    /** People of the main site's company whose home site is the neighbor: they can be added without confirmation. */
    secondedPeople: z.array(z.strictObject({ firstName: z.string(), lastName: z.string() })),
    /** Pending, expired and revoked invitations. */
    invitations: z.array(invitationData),
    /** Accepted invitation of one user who is a member for a limited time. */
    temporaryMembership: invitationData.required({ acceptedDaysAgo: true, durationDays: true }),
  }),
);
