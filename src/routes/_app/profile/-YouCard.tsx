import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { useSession } from '../../../api/session.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';

/** Who is signed in, on which sites, and what they may do on this one. */
export function YouCard() {
  const { user, site, sites, membershipExpiresDate, capabilities: held } = useSession();
  return (
    <Card title="You">
      <Facts>
        <Fact label="Name">
          {user.firstName} {user.lastName}
        </Fact>
        <Fact label="E-mail">{user.email}</Fact>
        <Fact label="Sites">
          <ul className="profile-plain">
            {sites.map(({ id, name, role }) => (
              <li key={id}>
                {name} {role === 'administrator' && <Badge>Administrator</Badge>}{' '}
                {id === site.id && <Badge tone="accent">This one</Badge>}
              </li>
            ))}
          </ul>
        </Fact>
        {typeof membershipExpiresDate === 'string' && (
          <Fact label="Membership ends">{exactDate(membershipExpiresDate)}</Fact>
        )}
        <Fact label="Capabilities">
          {held.length === 0 ? (
            `Your groups give you none on ${site.name}`
          ) : (
            <details className="profile-may">
              <summary>
                {count(held.length)} on {site.name}
              </summary>
              <ul>
                {capabilities
                  .filter(({ name }) => held.includes(name))
                  .map(({ name, sentence }) => (
                    <li key={name}>
                      <strong>{name}</strong>
                      {sentence}
                    </li>
                  ))}
              </ul>
            </details>
          )}
        </Fact>
      </Facts>
    </Card>
  );
}
