# Grades submissions as they come, as long as the hub runs. Copy this to jupyterhub_config.py, below
# the other services, and put in your account and folder. The hub restarts it when it ends.
c.JupyterHub.services.append(  # noqa: F821
    {
        "name": "attention-serve",
        "user": "attention",
        "cwd": "/home/attention/course",
        "command": ["/opt/hub/bin/autograder", "serve"],
    }
)
