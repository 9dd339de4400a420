/** Agents: the card of the profile with the agents of the user. */
export { AgentsCard } from './AgentsCard.tsx';
