import { useQuery } from '@tanstack/react-query';
import { getUserOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { fullName } from './-user-query.ts';

/** The name of whoever did something; undefined while it is read, and `user 12` where they have left the site. */
export function usePersonName(userId: number | null): string | undefined {
  const { data, isError } = useQuery({
    ...getUserOptions({ path: { userId: userId ?? 0 } }),
    enabled: userId !== null,
    retry: false,
  });
  if (userId === null) return 'the system';
  if (isError) return `user ${userId}, who is no longer on this site`;
  return data && fullName(data);
}
