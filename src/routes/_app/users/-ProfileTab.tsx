import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTaggedUser } from './-use-user.ts';
import { AccessCard } from './-AccessCard.tsx';
import { ProfileCard } from './-ProfileCard.tsx';
import { ProfileForm } from './-ProfileForm.tsx';
import { SignInCard } from './-SignInCard.tsx';

const route = getRouteApi('/_app/users/$userId/');

/** Who the user is, how they get in, and whether they can. */
export function ProfileTab() {
  const tagged = useTaggedUser();
  const { edit } = route.useSearch();
  const [editing, setEditing] = useState(edit === true);
  return (
    <div className="user-cols">
      <div className="user-main">
        {editing ? (
          <ProfileForm start={tagged} onClose={() => setEditing(false)} />
        ) : (
          <ProfileCard onEdit={() => setEditing(true)} />
        )}
        <AccessCard />
      </div>
      <div className="user-side">
        <SignInCard />
      </div>
    </div>
  );
}
