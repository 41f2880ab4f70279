import { formatCount } from '../../parts/format.ts';

const countHooks = (count: number) => (count === 1 ? '1 hook' : `${formatCount(count)} hooks`);

export const overview = {
  title: 'Overview',
  updated: 'Updated',
  countProblems: (problems: number, urgent: number) => {
    if (problems === 0) return 'All systems normal';
    if (problems === 1) return urgent === 1 ? '1 urgent problem: users are affected' : '1 problem, not urgent';
    return `${problems} problems, ${urgent === 0 ? 'not urgent' : `${urgent} urgent: users are affected`}`;
  },
  /** What flows. Null: unknown. Empty if nothing is known. */
  describeFlow: (acceptedPerSecond: string | null, p95: string | null) => {
    const accepted = acceptedPerSecond === '0' ? 'No hooks right now.' : `Accepting ${acceptedPerSecond} hooks/s.`;
    return [
      acceptedPerSecond === null ? '' : accepted,
      p95 === null ? '' : `95 of 100 events reach the open streams within ${p95}.`,
    ]
      .join(' ')
      .trim();
  },
  health: 'Health',
  problems: 'Problems',
  severities: { page: 'Urgent', ticket: 'Not urgent' },
  review: 'Review',
  deadHooks: (hooks: number, integrations: number) =>
    `${countHooks(hooks)} from ${integrations === 1 ? '1 integration' : `${integrations} integrations`} could not be processed`,
  moreIntegrations: (count: number) => `and ${formatCount(count)} more`,
  delayed: (since: string) => `Publishing is delayed: the oldest change has been waiting since ${since}.`,
  lastHour: 'The last hour',
  tiles: {
    accepted: 'Hooks accepted',
    refused: 'Hooks refused',
    published: 'Events published',
    delay: 'Hook to stream, p95',
    streams: 'Open streams',
  },
  perSecond: '/s',
  percentAndRate: (rate: string) => `% · ${rate}/s`,
  median: (value: string, unit: string) => `${unit} · median ${value}`,
  delayScope: (minutes: number) =>
    `From a hook's 202 to its event in the open streams, in the last ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  plusConsoles: (count: number) =>
    count === 0 ? '' : `+ ${count === 1 ? '1 console' : `${formatCount(count)} consoles`}`,
  noData: 'No data yet',
  noDataThen: 'No data',
  most: (value: string) => `peak ${value}`,
  describePoint: (time: string, value: string) => `${time}: ${value}`,
  timeZone: (name: string) => `Times are in ${name}.`,
  unknown: 'unknown',
  integrations: 'Integrations',
  last24Hours: 'last 24 hours',
  name: 'Name',
  traffic: 'Traffic',
  accepted: 'Accepted',
  refused: 'Refused',
  dead: 'Dead',
  lastHook: 'Last hook',
  countDead: (count: string, integration: string) =>
    `${count} dead ${count === '1' ? 'delivery' : 'deliveries'} of ${integration}`,
  describeTraffic: (busiest: string, from: string) =>
    `The busiest hour, from ${from}, had ${busiest} ${busiest === '1' ? 'hook' : 'hooks'}.`,
  noTraffic: 'No hooks in the last 24 hours.',
  describeHour: (from: string, accepted: string, refused: string) =>
    `From ${from}: ${accepted} accepted, ${refused} refused`,
  queue: 'Hook queue',
  partition: 'Partition',
  jobs: 'Jobs',
  oldest: 'Oldest',
  jobsWait: (jobs: number) => {
    if (jobs === 0) return 'The queue is empty.';
    return jobs === 1 ? '1 job is waiting.' : `${formatCount(jobs)} jobs are waiting.`;
  },
  oldestWaits: 'The oldest was queued',
  byPartition: 'By partition',
  queueUnknown: 'The queue did not answer.',
  pods: 'Pods',
  workers: 'Workers',
  readyOf: (ready: number, asked: number) => `${ready} of ${asked} ready`,
  startedAt: 'Started',
  streams: (count: number) => (count === 1 ? '1 stream' : `${formatCount(count)} streams`),
  lag: (events: number) => (events === 1 ? '1 event behind' : `${formatCount(events)} events behind`),
  lagUnknown: 'lag unknown',
  ready: 'Ready',
  notReady: 'Not ready',
};
