export { InvitationActionButton } from './pages/InvitationActionButton.tsx';
export { KnownElsewhere, useKnownElsewhere } from './pages/KnownElsewhere.tsx';
