import { resolve } from 'node:path';
import { usageFailure } from '../failure.js';
import { table } from '../output/tables.js';
import { profilesPath, readProfiles, writeProfiles, type Profiles } from '../service/profiles.js';
import { checkedUrl, type ServiceOptions } from '../service/target.js';
import { type ServiceCommand } from './service-command.js';

export function addProfileCommand(program: ServiceCommand): void {
  const profile = program.command('profile').description('keep the addresses of services under short names');
  profile.addHelpText('after', `\nThey are kept in ${profilesPath()}.`);
  addSet(profile);
  profile
    .command('list')
    .alias('ls')
    .description('list the profiles; * marks the default')
    .action(async () => void process.stdout.write(`${tableOf(await readProfiles())}\n`));
  profile
    .command('use')
    .description('make a profile the default')
    .argument('<name>')
    .action(async (name: string) => {
      const all = await readProfiles();
      await writeProfiles({ ...all, default: known(all, name) });
      process.stdout.write(`Commands now talk to ${all.profiles[name]?.url}.\n`);
    });
  profile
    .command('remove')
    .alias('rm')
    .description('forget a profile; its token file stays')
    .argument('<name>')
    .action(async (name: string) => {
      const all = await readProfiles();
      delete all.profiles[known(all, name)];
      if (all.default === name) delete all.default;
      await writeProfiles(all);
      process.stdout.write(`Removed the profile ${name}.\n`);
    });
}

function addSet(profile: ServiceCommand): void {
  profile
    .command('set')
    .description('add or change a profile: give --url and --token-file; the first one becomes the default')
    .argument('<name>', 'such as production')
    .action(async (name: string, _options: object, command: ServiceCommand) => {
      const { url, tokenFile } = command.optsWithGlobals<ServiceOptions>();
      const all = await readProfiles();
      const wanted = url ?? all.profiles[name]?.url;
      if (wanted === undefined)
        throw usageFailure('url_missing', 'Give the address of the service with --url.');
      const file = tokenFile === undefined ? all.profiles[name]?.token_file : resolve(tokenFile);
      const entry = { url: checkedUrl(wanted), ...(file !== undefined && { token_file: file }) };
      await writeProfiles({ default: all.default ?? name, profiles: { ...all.profiles, [name]: entry } });
      process.stdout.write(`Kept ${name} in ${profilesPath()}.\n`);
    })
    .examples(
      'repotide profile set production --url https://repotide.example.com --token-file ~/.repotide-token',
    );
}

function known({ profiles }: Profiles, name: string): string {
  if (name in profiles) return name;
  const names = Object.keys(profiles).join(', ') || 'none';
  throw usageFailure('profile_unknown', `There is no profile "${name}"; there are: ${names}.`);
}

function tableOf({ default: byDefault, profiles }: Profiles): string {
  return table(
    ['', 'name', 'url', 'token file'],
    Object.entries(profiles).map(([name, { url, token_file: file }]) => [
      name === byDefault ? '*' : '',
      name,
      url,
      file ?? '-',
    ]),
    'There is no profile yet. Add one: repotide profile set <name> --url <url> --token-file <path>',
  );
}
