import type { Actor } from '../../../api/generated/types.gen.ts';

/** Who did something: the one who acted before the one for whom, as everywhere. */
export function Who({ by, proxy }: { by?: Actor; proxy?: Actor }) {
  if (!by) return <span>The service</span>;
  return (
    <span>
      <strong>
        <bdi>{nameOf(proxy ?? by)}</bdi>
      </strong>
      {proxy && (
        <>
          {' '}
          for <bdi>{nameOf(by)}</bdi>
        </>
      )}
    </span>
  );
}

const nameOf = ({ id, name }: Actor): string => (name === '' ? `User ${id}` : name);
