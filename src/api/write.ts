import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationOptions, UseMutationResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toServiceError } from './errors.ts';
import type { ServiceError } from './errors.ts';
import { invalidateAfter } from './invalidation.ts';
import type { WriteOperation } from './invalidation.ts';
import { repeatedSignIns } from './session-state.ts';

/**
 * Mutation for a write operation: `useWrite('updateUser', updateUserMutation())`. A success invalidates the reads that
 * the areas list for the operation; errors are `ServiceError`s. The error that the session has ended goes with the next sign-in.
 */
export function useWrite<Data, Fault, Variables>(
  operation: WriteOperation,
  { mutationFn }: UseMutationOptions<Data, Fault, Variables>,
): UseMutationResult<Data, ServiceError, Variables> {
  const queryClient = useQueryClient();
  const write = useMutation<Data, ServiceError, Variables>({
    mutationKey: [operation],
    async mutationFn(variables, context) {
      if (!mutationFn) throw new TypeError(`${operation} has no mutationFn`);
      try {
        return await mutationFn(variables, context);
      } catch (thrown) {
        throw toServiceError(thrown);
      }
    },
    onSuccess: () => invalidateAfter(queryClient, operation),
  });
  const { reset } = write;
  const isEnded = write.error?.status === 401;
  useEffect(() => (isEnded ? repeatedSignIns.subscribe(reset) : undefined), [isEnded, reset]);
  return write;
}
