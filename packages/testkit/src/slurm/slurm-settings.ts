/** The settings of a one-node cluster with files and ports of its own. */
import { hostname, totalmem } from 'node:os';
import { join } from 'node:path';

export interface SlurmPorts {
  controller: number;
  node: number;
}

export function nodeName(): string {
  return hostname().split('.')[0]!;
}

export function slurmConf(folder: string, ports: SlurmPorts, cpus: number, memory: boolean): string {
  const host = nodeName();
  const memoryMb = Math.floor(totalmem() / 2 ** 20);
  return `${[
    'ClusterName=woof',
    `SlurmctldHost=${host}(127.0.0.1)`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    `AuthInfo=socket=${join(folder, 'munge', 'socket')}`,
    `SlurmctldPort=${ports.controller}`,
    `SlurmdPort=${ports.node}`,
    `StateSaveLocation=${join(folder, 'controller')}`,
    `SlurmdSpoolDir=${join(folder, 'node')}`,
    `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(folder, 'slurmd.pid')}`,
    `SlurmctldLogFile=${join(folder, 'slurmctld.log')}`,
    `SlurmdLogFile=${join(folder, 'slurmd.log')}`,
    'ProctrackType=proctrack/linuxproc',
    `TaskPlugin=${memory ? 'task/cgroup' : 'task/none'}`,
    'MpiDefault=none',
    'MailProg=/bin/true',
    'ReturnToService=2',
    // The node may claim more processors than the machine has: the tests count jobs, not work.
    'SlurmdParameters=config_overrides',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core_Memory',
    // Without these two a job takes the whole node, and waits for a minute.
    'DefMemPerCPU=128',
    'SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1',
    'DependencyParameters=kill_invalid_depend',
    'AccountingStorageType=accounting_storage/none',
    'JobAcctGatherType=jobacct_gather/linux',
    'JobAcctGatherFrequency=1',
    'MinJobAge=300',
    'KillWait=2',
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus} CoresPerSocket=${cpus} RealMemory=${memoryMb} State=UNKNOWN`,
    // Jobs of the last partition preempt those of the others.
    'PreemptType=preempt/partition_prio',
    'PreemptMode=REQUEUE',
    `PartitionName=debug Nodes=${host} Default=YES MaxTime=INFINITE State=UP PreemptMode=CANCEL`,
    `PartitionName=requeue Nodes=${host} MaxTime=INFINITE State=UP PreemptMode=REQUEUE`,
    `PartitionName=urgent Nodes=${host} MaxTime=INFINITE State=UP PriorityTier=10`,
  ].join('\n')}\n`;
}

export const CGROUP_CONF = 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainRAMSpace=yes\n';
