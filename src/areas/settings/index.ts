// Public API of the settings area: the preview of who IP restrictions would have locked out.
export { PeopleRehearsal } from './rehearsal/PeopleRehearsal.tsx';
