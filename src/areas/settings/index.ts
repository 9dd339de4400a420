// What other areas may use of settings: the rehearsal of IP restrictions.
export { PeopleRehearsal } from './rehearsal/PeopleRehearsal.tsx';
