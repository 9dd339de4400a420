import type { Actor } from '../../../../contract/generated/types.gen.ts';

/** The user who made a change; a proxy is named before the principal. */
export function ActorName({ by, proxy }: { by?: Actor; proxy?: Actor }) {
  if (!by) return <span>The service</span>;
  return (
    <span>
      <strong>
        <bdi>{formatActor(proxy ?? by)}</bdi>
      </strong>
      {proxy && (
        <>
          {' '}
          for <bdi>{formatActor(by)}</bdi>
        </>
      )}
    </span>
  );
}

const formatActor = ({ id, name }: Actor): string => (name === '' ? `User ${id}` : name);
