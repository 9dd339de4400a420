import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import type { Destination } from '../../../../contract/generated/types.gen.ts';
import { withEtag } from '../../../api/etag.ts';
import { getDestination } from '../../../api/generated/sdk/publications.gen.ts';
import { formatMoment } from '../../../lib/dates.ts';
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

/** Form of a destination; the service also checks the address against the rules for outgoing requests. */
export const destinationSchema = z.object({
  topicId: z
    .number()
    .nullable()
    .refine((topicId) => topicId !== null, 'Choose a topic')
    .transform(Number),
  name: z.string().trim().min(1, 'Enter a name').max(100, 'The name has at most 100 characters'),
  url: z
    .string()
    .trim()
    .min(1, 'Enter an address')
    .max(2000, 'The address has at most 2,000 characters')
    .refine(
      (text) => text === '' || URL.canParse(text),
      'Enter an address such as https://hooks.example.com/steward',
    ),
});

/** What the form holds: no topic until one is chosen. */
export type DestinationInput = z.input<typeof destinationSchema>;
export type DestinationValues = z.infer<typeof destinationSchema>;

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
