import { useAllowed, useSession } from '../../../api/session.ts';
import { exactDate } from '../../../lib/dates.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { usePersonName } from './-use-person-name.ts';
import { useUser } from './-use-user.ts';

/** What is known about the user, to read. */
export function ProfileCard({ onEdit }: { onEdit: () => void }) {
  const user = useUser();
  const { reason } = useAllowed('updateUser');
  return (
    <Card
      title="Profile"
      actions={
        <Button size="small" disabledReason={reason} onClick={onEdit}>
          Edit
        </Button>
      }
    >
      <Facts>
        <Fact label="First name">{user.firstName}</Fact>
        <Fact label="Last name">{user.lastName}</Fact>
        <Fact label="E-mail">
          {user.email} <CopyButton value={user.email} label="Copy e-mail" />
        </Fact>
        <Fact label="User entry">
          {user.userEntryId ? (
            <>
              <span className="mono">{user.userEntryId}</span>{' '}
              <CopyButton value={String(user.userEntryId)} label="Copy entry id" />
            </>
          ) : (
            <span className="user-quiet">None</span>
          )}
        </Fact>
        <Fact label="Federation id">
          <FederationId value={user.federationId} />
        </Fact>
        <Fact label="Created">
          {exactDate(user.createdDate)} <By userId={user.createdBy} />
        </Fact>
        <Fact label="Changed">
          {exactDate(user.modifiedDate)} <By userId={user.modifiedBy} />
        </Fact>
      </Facts>
    </Card>
  );
}

// Spec 2.1: with an identity manager the field has no effect.
function FederationId({ value }: { value: string | null | undefined }) {
  const { site } = useSession();
  const unused = site.identityMode === 'identity-manager';
  if (value) return unused ? `${value} (without effect: an identity manager signs people in)` : value;
  return (
    <span className="user-quiet">
      {unused ? 'Without effect: an identity manager signs people in' : 'None: they sign in with a password'}
    </span>
  );
}

function By({ userId }: { userId: number | null }) {
  const name = usePersonName(userId);
  return name === undefined ? null : `by ${name}`;
}
