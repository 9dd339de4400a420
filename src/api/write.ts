import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query';
import { toServiceError } from './errors.ts';
import type { ServiceError } from './errors.ts';
import { markStale } from './effects.ts';
import type { WriteOperation } from './effects.ts';

/**
 * A write as pages use it: `useWrite('updateUser', updateUserMutation())`. What it makes stale comes from the
 * effects table, its error has the one shape.
 */
export function useWrite<Data, Fault, Variables>(
  operation: WriteOperation,
  { mutationFn }: UseMutationOptions<Data, Fault, Variables>,
): UseMutationResult<Data, ServiceError, Variables> {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: [operation],
    async mutationFn(variables, context) {
      if (!mutationFn) throw new TypeError(`${operation} has no call`);
      try {
        return await mutationFn(variables, context);
      } catch (thrown) {
        throw toServiceError(thrown);
      }
    },
    onSuccess: () => markStale(queryClient, operation),
  });
}
