import os
import sys
import tempfile
import unittest
from unittest import mock

from driver_parts import load

NOTHING = {'allow_files': False, 'allow_network': False, 'allow_shell': False}
FILES = {**NOTHING, 'allow_files': True}
SHELL = {**NOTHING, 'allow_shell': True}
DENIALS = {key: key for key in ('files', 'network', 'shell', 'outside')}


class CheckFileTest(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.root = os.path.realpath(self.top.name)
        self.workdir, self.tmp = self.root + '/work', self.root + '/tmp'
        self.driver = load('threads', 'audit')

    # Why the code may not open the file, or '' if it may.
    def refusal(self, path, declared, writing=False, whole=None, **place):
        place = {'workdir': self.workdir, 'tmp': self.tmp, **place}
        with mock.patch('sys.addaudithook'):
            self.driver.start_audit(whole or declared, DENIALS, **place)
        self.driver.set_running('a', declared)
        try:
            self.driver.check_file(path, writing)
        except self.driver.PolicyError as e:
            return str(e).split()[-1]
        return ''

    def test_opens_workdir_only_with_files(self):
        path = self.workdir + '/data.txt'
        self.assertEqual(self.refusal(path, NOTHING), 'files')
        self.assertEqual(self.refusal(path, NOTHING, whole=FILES), 'files')
        self.assertEqual(self.refusal(path, FILES, writing=True), '')

    def test_never_opens_what_is_hidden(self):
        for place in ({}, {'tmp': self.workdir}):
            for path in ('/.woof/log', '/data/log'):
                hidden = [self.workdir + '/data']
                refused = self.refusal(self.workdir + path, FILES, hidden=hidden, **place)
                self.assertEqual(refused, 'outside')

        self.assertEqual(self.refusal(self.workdir + '/.woof/log', NOTHING, tmp=self.workdir), 'outside')

    def test_opens_nothing_outside_but_the_temporary_folder_and_devices(self):
        self.assertEqual(self.refusal(self.root + '/other', FILES), 'outside')
        for path in (self.tmp + '/x', '/dev/shm/x', '/dev/null', '/proc/self/maps'):
            self.assertEqual(self.refusal(path, NOTHING, writing=True), '')

    def test_reads_and_never_writes_folders_of_the_system(self):
        self.assertEqual(self.refusal('/usr/share/x', NOTHING), '')
        self.assertEqual(self.refusal('/usr/share/x', FILES, writing=True), 'outside')

    def test_reads_programs_only_if_it_may_start_some(self):
        self.driver.PROGRAM_FOLDERS.append(self.root + '/bin')
        self.assertEqual(self.refusal(self.root + '/bin/x', NOTHING), 'outside')
        self.assertEqual(self.refusal(self.root + '/bin/x', SHELL), '')
        self.assertEqual(self.refusal(self.root + '/bin/x', SHELL, writing=True), 'outside')

    def test_a_workdir_in_a_folder_of_the_system_needs_files(self):
        self.assertEqual(self.refusal('/usr/share/work/x', NOTHING, workdir='/usr/share/work'), 'files')
        self.assertEqual(self.refusal('/usr/share/work/x', FILES, workdir='/usr/share/work'), '')

    def test_reads_an_interpreter_in_workdir(self):
        with mock.patch('sys.prefix', self.workdir + '/.woof/venv'):
            self.driver = load('threads', 'audit')
        path = self.workdir + '/.woof/venv/lib/module.py'
        self.assertEqual(self.refusal(path, NOTHING), '')
        self.assertEqual(self.refusal(path, FILES, writing=True), 'outside')

    def test_code_cannot_open_a_folder_by_adding_it_to_the_path(self):
        path = self.root + '/other/x.py'
        with mock.patch('sys.path', [*sys.path, self.root + '/other']):
            self.assertEqual(self.refusal(path, NOTHING), 'outside')
            self.assertEqual(self.refusal(path, NOTHING, libraries=[self.root + '/other']), '')

    def test_a_temporary_folder_may_stand_for_workdir_only_if_no_code_may_use_files(self):
        path = self.workdir + '/x'
        self.assertEqual(self.refusal(path, NOTHING, writing=True, tmp=self.workdir), '')
        self.assertEqual(self.refusal(path, NOTHING, whole=FILES, tmp=self.workdir), 'files')

    def test_leaves_files_to_others_without_workdir(self):
        self.assertEqual(self.refusal(self.root + '/other', NOTHING, writing=True, workdir=None), '')
