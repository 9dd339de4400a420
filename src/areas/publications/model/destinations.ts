import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import type {
  Destination,
  DestinationChange,
  NatsCredentials,
  NewDestination,
} from '../../../../contract/generated/types.gen.ts';
import { withEtag } from '../../../api/etag.ts';
import { getDestination } from '../../../api/generated/sdk/publications.gen.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import type { Tone } from '../../../ui/layout/Badge.tsx';

const REFRESH_MS = 5_000;

/** A destination with its entity tag. */
export const destinationQuery = (destinationId: number) =>
  queryOptions({
    queryKey: [{ _id: 'getDestination', destinationId }],
    queryFn: async ({ signal }) => withEtag(await getDestination({ path: { destinationId }, signal })),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });

/** How the service signs in to a NATS server. `keep` leaves what is stored, which no answer has. */
const SIGN_INS = ['keep', 'none', 'password', 'token', 'file'] as const;
export type SignIn = (typeof SIGN_INS)[number];

const ADDRESS_EXAMPLES = {
  Webhook: 'https://hooks.example.com/steward',
  JetStream: 'tls://nats.example.com:4222',
} as const;

/** Form of a destination; the service also checks the address against the rules for outgoing requests. */
export const destinationSchema = z
  .object({
    topicId: z
      .number()
      .nullable()
      .refine((topicId) => topicId !== null, 'Choose a topic')
      .transform(Number),
    name: z.string().trim().min(1, 'Enter a name').max(100, 'The name has at most 100 characters'),
    kind: z.enum(['Webhook', 'JetStream']),
    url: z.string().trim().min(1, 'Enter an address').max(2000, 'The address has at most 2,000 characters'),
    subject: z.string().trim().max(200, 'The subject has at most 200 characters'),
    signIn: z.enum(SIGN_INS),
    user: z.string().trim().max(200, 'The user has at most 200 characters'),
    password: z.string().max(1000, 'The password has at most 1,000 characters'),
    token: z.string().trim().max(4000, 'The token has at most 4,000 characters'),
    credentialsFile: z.string().max(10_000, 'The file has at most 10,000 characters'),
  })
  .superRefine((values, context) => {
    const require = (isValid: boolean, path: keyof typeof values, message: string): void => {
      if (!isValid) context.addIssue({ code: 'custom', path: [path], message });
    };
    const { kind, url, subject, signIn } = values;
    require(url === '' || URL.canParse(url), 'url', `Enter an address such as ${ADDRESS_EXAMPLES[kind]}`);
    if (kind === 'Webhook') return;
    require(/^[\w-]+(\.[\w-]+)*$/.test(
      subject,
    ), 'subject', 'Enter a subject such as steward.deals, without wildcards');
    require(signIn !== 'password' || values.user !== '', 'user', 'Enter a user');
    require(signIn !== 'password' || values.password !== '', 'password', 'Enter a password');
    require(signIn !== 'token' || values.token !== '', 'token', 'Enter a token');
    require(signIn !== 'file' ||
      values.credentialsFile.trim() !== '', 'credentialsFile', 'Paste the text of the credentials file');
  });

/** What the form holds: no topic until one is chosen. */
export type DestinationInput = z.input<typeof destinationSchema>;
export type DestinationValues = z.infer<typeof destinationSchema>;

/** Values of the form for a stored destination, or for a new one. */
export const toDestinationInput = (stored?: Destination): DestinationInput => ({
  topicId: stored?.topicId ?? null,
  name: stored?.name ?? '',
  kind: stored?.kind ?? 'Webhook',
  url: stored?.url ?? '',
  subject: stored?.subject ?? '',
  signIn: stored?.hasCredentials === true ? 'keep' : 'none',
  user: '',
  password: '',
  token: '',
  credentialsFile: '',
});

/** Credentials of the form; undefined to leave those that are stored, null for none. */
function toCredentials(values: DestinationValues): NatsCredentials | null | undefined {
  const { signIn, user, password, token, credentialsFile } = values;
  if (signIn === 'keep') return undefined;
  if (signIn === 'password') return { user, password };
  if (signIn === 'token') return { token };
  return signIn === 'file' ? { credentialsFile } : null;
}

export function toNewDestination(values: DestinationValues): NewDestination {
  const { topicId, name, kind, url, subject } = values;
  if (kind === 'Webhook') return { topicId, name, url };
  const credentials = toCredentials(values);
  return { topicId, name, kind, url, subject, ...(credentials && { credentials }) };
}

export function toDestinationChange(values: DestinationValues): DestinationChange {
  const { name, kind, url, subject } = values;
  if (kind === 'Webhook') return { name, url };
  const credentials = toCredentials(values);
  return { name, url, subject, ...(credentials !== undefined && { credentials }) };
}

/** Whether deliveries work, in words. */
export function describeHealth({ isEnabled, disabledReason, failures, failingSince, lag }: Destination): {
  tone: Tone;
  label: string;
} {
  if (!isEnabled)
    return typeof disabledReason === 'string'
      ? { tone: 'bad', label: 'Switched off by the service' }
      : { tone: 'neutral', label: 'Switched off' };
  if (failures > 0)
    return {
      tone: 'warn',
      label: typeof failingSince === 'string' ? `Failing since ${formatMoment(failingSince)}` : 'Failing',
    };
  return { tone: 'ok', label: lag === 0 ? 'Up to date' : 'Delivering' };
}
