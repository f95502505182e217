import { type Random } from '@devkit';

/** Every kind of change of an offset occurs in these zones around the instants of the test. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/Lisbon',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'America/Nuuk',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Antarctica/Troll',
  'Pacific/Chatham',
  'Pacific/Auckland',
] as const;

const MINUTES = [
  '*/5',
  '*/7',
  '*/15',
  '0',
  '30',
  '3,33',
  '10-20',
  '0-59/13',
  '7,8,9',
  '*',
  'H',
  'H/20',
  'H(0-29)',
];
const HOURS = ['*', '*', '*', '*', '*/2', '1-3', '2', '0,23', '8-18', '1-23/4', 'H(0-5)'];
const DAYS = ['*', '*', '*', '*', '*', '*/2', '1-15', '28,29,30', '8'];
const MONTHS = ['*', '*', '*', '*', '2-4', '3,4,9,10', '*/2'];
const WEEKDAYS = ['*', '*', '*', '1-5', '0', '6,0'];

export function randomCron(random: Random): string {
  return [MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS].map((choices) => random.pick(choices)).join(' ');
}
