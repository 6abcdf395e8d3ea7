from commands.browser import chromium as chromium
from commands.test_report import hostile_job as hostile_job
from commands.test_report import plain_job as plain_job
